/** Workers with Python: one that runs, one that stands ready, and the clock that ends an endless loop. */

import { type Findings, type Lesson, SLOWER, type Texts } from "./lesson";

/** Python itself may need this long between two calls, in seconds. */
const PATIENCE = 60;

interface Message {
  progress?: number;
  ready?: boolean;
  at?: { what: "call" | "import"; name: string } | "";
  findings?: Findings;
  hint?: { text: string; counts: string };
  fault?: string;
}

class Machine {
  readonly worker: Worker;
  readonly ready: Promise<void>;
  heard: (message: Message) => void = () => {};

  constructor(lesson: Lesson, progress: (share: number) => void) {
    // A worker from a blob obeys the page's Content-Security-Policy; one from a file would have none.
    const base = new URL(".", location.href).href;
    const code = new Blob([`import "${base}worker.js";`], { type: "text/javascript" });
    const address = URL.createObjectURL(code);
    this.worker = new Worker(address, { type: "module" });
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.progress) progress(data.progress);
        if (data.ready) {
          URL.revokeObjectURL(address);
          this.worker.onmessage = (event) => this.heard(event.data);
          resolve();
        }
        if (data.fault) reject(new Error(data.fault));
      };
      this.worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || "the worker did not start"));
        this.heard({ fault: event.message || "memory" });
      };
    });
    this.ready.catch(() => {}); // it is told to whoever waits for it
    const { files, kit, download } = lesson;
    this.worker.postMessage({ start: { base, files, kit, download } });
  }
}

export class Python {
  private machine: Machine;
  private spare: Machine | undefined;
  private waiting: Promise<unknown> = Promise.resolve();

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
  run(texts: Texts, stopped: (name: string) => void): Promise<Findings> {
    return this.inTurn(async () => {
      const ended: Record<string, string> = {};
      for (;;) {
        const said = await this.ask({ run: { texts, ended } }, { ...this.lesson.limits });
        if (said.findings) return said.findings;
        if (!said.at || said.at.name in ended) throw new Error(said.fault);
        ended[said.at.name] = reason(said.fault ?? "");
        stopped(said.at.name);
      }
    });
  }

  /** The next hint on a TODO. */
  async hint(texts: Texts, number: number, counts: string): Promise<{ text: string; counts: string }> {
    const said = await this.inTurn(() => this.ask({ hint: { texts, number, counts } }, {}));
    if (!said.hint) throw new Error(said.fault);
    return said.hint;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.waiting.then(work);
    this.waiting = mine.catch(() => {});
    return mine;
  }

  /** Ask the worker. When it breaks or takes too long, put the spare one in its place and say where it was. */
  private async ask(question: object, limits: Record<string, number>): Promise<Message> {
    const machine = this.machine;
    await machine.ready;
    const said = await new Promise<Message>((resolve) => {
      let at: Message["at"] = "";
      let timer = 0;
      const wait = () => {
        clearTimeout(timer);
        const seconds = at ? SLOWER * (limits[at.what] ?? PATIENCE) : PATIENCE;
        // The second, short wait lets a message arrive that is on its way.
        const late = () => setTimeout(() => resolve({ at, fault: "slow" }), 200);
        timer = setTimeout(() => (timer = late()), 1000 * seconds);
      };
      machine.heard = (message) => {
        at = message.at ?? at;
        wait();
        if (message.findings || message.hint || message.fault) {
          clearTimeout(timer);
          resolve({ at, ...message });
        }
      };
      wait();
      machine.worker.postMessage(question);
    });
    if (said.fault) {
      machine.worker.terminate();
      this.machine = this.spare ?? new Machine(this.lesson, () => {});
      this.spare = undefined;
    }
    // One stands ready for an endless loop; it starts while the student reads.
    this.spare ??= new Machine(this.lesson, () => {});
    return said;
  }
}

function reason(fault: string): string {
  return /memory|allocation/i.test(fault) ? "memory" : /stack|recursion/i.test(fault) ? "depth" : "slow";
}
