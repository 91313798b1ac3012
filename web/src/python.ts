/** Workers with Python: one that runs, one that stands ready, and the clock that ends an endless loop. */

import { type Findings, type Lesson, SLOWER, type Texts } from "./lesson";

/** How long Python itself may take between two calls, in seconds. */
const PATIENCE = 60;

interface Message {
  progress?: number;
  ready?: boolean;
  /** What runs now of the student's code, or nothing. */
  at?: { what: "call" | "import"; name: string } | "";
  findings?: Findings;
  hint?: { text: string; counts: string };
  fault?: string;
}

class Machine {
  readonly worker: Worker;
  readonly ready: Promise<void>;
  heard: (message: Message) => void = () => {};

  constructor(lesson: Lesson, progress: (share: number) => void = () => {}) {
    // A worker from a blob obeys the page's Content-Security-Policy; one from a file would have none.
    const base = new URL(".", location.href).href;
    const code = new Blob([`import "${base}worker.js";`], { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(code), { type: "module" });
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.progress) progress(data.progress);
        else if (data.ready) resolve();
        else this.heard(data);
        if (data.fault) reject(new Error(data.fault));
      };
      this.worker.onerror = ({ message }) => {
        reject(new Error(message || "its program cannot be loaded"));
        this.heard({ fault: message || "memory" });
      };
    });
    this.ready.catch(() => {}); // it is told to whoever waits for it
    this.worker.postMessage({ base, lesson });
  }

  /** Ask a question; when the answer takes too long, or Python breaks, the answer says where it was. */
  ask(question: object, limits: Record<string, number>): Promise<Message> {
    return new Promise((resolve) => {
      let at: Message["at"] = "";
      let timer = 0;
      const wait = () => {
        clearTimeout(timer);
        const seconds = at ? SLOWER * (limits[at.what] ?? PATIENCE) : PATIENCE;
        // The second, short wait lets a message arrive that is on its way.
        timer = setTimeout(() => {
          timer = setTimeout(() => resolve({ at, fault: "slow" }), 200);
        }, 1000 * seconds);
      };
      this.heard = (message) => {
        at = message.at ?? at;
        wait();
        if (message.at !== undefined) return;
        clearTimeout(timer);
        resolve({ at, ...message });
      };
      wait();
      this.worker.postMessage(question);
    });
  }
}

export class Python {
  private machine: Machine;
  private spare: Machine | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  /** Start Python; `progress` hears how far it is, from 0 to 1. */
  constructor(
    private readonly lesson: Lesson,
    progress: (share: number) => void,
  ) {
    this.machine = new Machine(lesson, progress);
  }

  get ready() {
    return this.machine.ready;
  }

  /** Run the tests; `stopped` hears which call was ended, before the others run. */
  async run(texts: Texts, stopped: (name: string) => void): Promise<Findings> {
    const ended: Texts = {};
    for (;;) {
      const { findings, at, fault = "" } = await this.ask({ texts, ended });
      if (findings) return findings;
      if (!at || at.name in ended) throw new Error(fault);
      const isDepth = /stack|recursion/i.test(fault);
      ended[at.name] = /memory|allocation/i.test(fault) ? "memory" : isDepth ? "depth" : "slow";
      stopped(at.name);
    }
  }

  /** The next hint on a TODO, and how many were given. */
  async hint(texts: Texts, number: number, counts: string): Promise<{ text: string; counts: string }> {
    const { hint, fault } = await this.ask({ texts, number, counts });
    if (!hint) throw new Error(fault);
    return hint;
  }

  /** Ask one question after the other; a worker that breaks is replaced by the one that stands ready. */
  private ask(question: object): Promise<Message> {
    const answer = this.turn.then(async () => {
      await this.machine.ready;
      const said = await this.machine.ask(question, this.lesson.limits);
      if (said.fault) {
        this.machine.worker.terminate();
        this.machine = this.spare ?? new Machine(this.lesson);
        this.spare = undefined;
      }
      this.spare ??= new Machine(this.lesson); // it starts while the student reads
      return said;
    });
    this.turn = answer.catch(() => {});
    return answer;
  }
}
