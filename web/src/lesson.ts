/** What `grader release --web` writes into NAME.json, and what run.py gives back. */

export interface Todo {
  number: number;
  name: string;
  file: string;
}

export interface Lesson {
  name: string;
  title: string;
  /** A digest of everything in the page; another release has another one. */
  release: string;
  /** The files that students write, as they are released. */
  files: Record<string, string>;
  /** The other files of the bundle, by their paths in its folder. */
  kit: Record<string, string>;
  /** The handout's parts as HTML; the first has no title. */
  handout: { title: string; html: string }[];
  /** The constant that is asked before the handout is shown, where the lesson has one. */
  prediction: { file: string; name: string; question: string[]; choices: string[]; parts: number } | null;
  /** Where to hand in; empty if the course does not say. */
  address: string;
  /** Seconds that the grader allows. */
  limits: { call: number; import: number };
  todos: Todo[];
  /** What the page downloads to start Python, in bytes. */
  download: Record<string, number>;
}

export interface Failure {
  task: string;
  sentence: string;
  call?: string;
  got?: string;
  expected?: string;
  cause: string;
  why: Record<string, string>;
  where: string;
  picture: string;
}

export interface Task {
  title: string;
  state: string;
  word: string;
  symbol: string;
  got: number;
  of: number;
  hidden: number;
}

export interface Findings {
  ending: string[];
  broken: string[];
  tasks: Task[];
  failures: Failure[];
  warnings: string[];
  closing: string[];
  passed: boolean;
  printed: string;
  fault?: string;
}

export type Texts = Record<string, string>;

/** Python is so much slower in a browser that a call gets this many times the graded limit. */
export const SLOWER = 3;
