/** Keeps the student's work in this browser, by exercise and release, and packs it for handing in. */

import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import type { Lesson, Texts } from "./lesson";

/** Texts that differ from the released ones, what a file was before it was replaced, and the hints given. */
interface Kept {
  texts: Texts;
  before: Texts;
  hints: string;
  time: number;
}

/** Read what is kept under a key; nothing where the browser keeps nothing. */
function read(key: string): Kept | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

export class Keep {
  private readonly key: string;
  private kept: Kept = { texts: {}, before: {}, hints: "", time: 0 };
  /** True if the work comes from an earlier release of the exercise. */
  readonly older: boolean = false;
  /** False if the browser keeps nothing. */
  works = true;

  constructor(private readonly lesson: Lesson) {
    const prefix = `exercise ${lesson.name} `;
    this.key = prefix + lesson.release;
    let found = read(this.key);
    try {
      const keys = Object.keys(localStorage).filter((key) => !found && key.startsWith(prefix));
      for (const earlier of keys.map(read)) if (earlier && earlier.time >= (found?.time ?? 0)) found = earlier;
      this.older = keys.length > 0;
    } catch {
      // storage is refused, which the first attempt to write will say
    }
    this.write(found ?? {});
  }

  get texts(): Texts {
    return { ...this.lesson.files, ...this.kept.texts };
  }

  get hints() {
    return this.kept.hints;
  }

  set hints(hints: string) {
    this.write({ hints });
  }

  /** The text that a file had before it was last replaced. */
  before(file: string): string | undefined {
    return this.kept.before[file];
  }

  /** Keep a file's text; `before` is what an undo brings back, where the whole text was replaced. */
  save(file: string, text: string, before?: string) {
    const texts = { ...this.kept.texts, [file]: text };
    if (text === this.lesson.files[file]) delete texts[file];
    this.write({ texts, ...(before === undefined ? {} : { before: { ...this.kept.before, [file]: before } }) });
  }

  /** Hear when the same page in another tab changes the work. */
  onOtherTab(changed: () => void) {
    window.addEventListener("storage", ({ key }) => {
      if (key !== this.key) return;
      this.kept = read(key) ?? this.kept;
      changed();
    });
  }

  private write(news: Partial<Kept>) {
    this.kept = { ...this.kept, ...news, time: Date.now() };
    try {
      localStorage.setItem(this.key, JSON.stringify(this.kept));
      this.works = true;
    } catch {
      this.works = false; // it is refused, or full
    }
  }
}

/** Pack the files as platforms expect them. */
export function packed(texts: Texts): Blob {
  const files = Object.entries(texts).map(([name, text]) => [name, strToU8(text)]);
  return new Blob([zipSync(Object.fromEntries(files)) as BlobPart], { type: "application/zip" });
}

/** Read the exercise's files out of chosen files: zips, or Python files with the right names. */
export async function unpacked(chosen: Iterable<File>, names: string[]): Promise<Texts> {
  const found: Texts = {};
  for (const file of chosen) {
    const data = new Uint8Array(await file.arrayBuffer());
    const isZip = data[0] === 0x50 && data[1] === 0x4b;
    for (const [path, content] of Object.entries(isZip ? unzipSync(data) : { [file.name]: data })) {
      const name = path.replace(/^.*\//, "").replace(/ \(\d+\)(?=\.py$)/, "");
      if (names.includes(name) && !path.startsWith("__MACOSX/")) found[name] = strFromU8(content);
    }
  }
  return found;
}
