/** What `grader release --web` writes into NAME.json, and what run.py gives back. */

export type Texts = Record<string, string>;

export interface Lesson {
  name: string;
  title: string;
  /** A digest of everything in the page; another release has another one. */
  release: string;
  /** The files that students write, as they are released. */
  files: Texts;
  /** The other files of the bundle, by their paths in its folder. */
  kit: Texts;
  /** The handout's parts as HTML; the first has no title. */
  handout: { title: string; html: string }[];
  /** Constants that are asked, True or False, while only the first `opening` parts of the handout are shown. */
  predictions: { file: string; name: string; question: string[] }[];
  opening: number;
  /** Where to hand in; empty if the course does not say. */
  address: string;
  /** Seconds that the grader allows. */
  limits: { call: number; import: number };
  todos: { number: number; name: string; file: string }[];
  /** What the page downloads to start Python, in bytes. */
  download: Record<string, number>;
}

export interface Failure {
  sentence: string;
  /** Of a wrong answer: the call, what it gave, what is right, and what else the sentence says. */
  parts: string[];
  cause: string;
  why: Texts;
  where: string;
  picture: string;
}

export interface Findings {
  ending: string[];
  broken: string[];
  tasks: { title: string; state: string; word: string; sign: string; got: number; of: number; hidden: number }[];
  failures: Failure[];
  warnings: string[];
  closing: string[];
  passed: boolean;
  printed: string;
  fault?: string;
}

/** Python is so much slower in a browser that a call gets this many times the graded limit. */
export const SLOWER = 3;
