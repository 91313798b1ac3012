/** Keeps the student's work in this browser, by exercise and release, and packs it for handing in. */

import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import type { Lesson, Texts } from "./lesson";

interface Kept {
  /** Only files that differ from the released ones. */
  texts: Texts;
  /** What a file was before it was reset or replaced. */
  before: Texts;
  /** How many hints were given. */
  hints: string;
}

export class Keep {
  private readonly key: string;
  private kept: Kept = { texts: {}, before: {}, hints: "" };
  /** True if the work comes from an earlier release of the exercise. */
  readonly older: boolean;
  /** False if the browser keeps nothing. */
  works = true;

  constructor(private readonly lesson: Lesson) {
    const prefix = `exercise ${lesson.name} `;
    this.key = prefix + lesson.release;
    const own = this.read(this.key);
    const others = own ? [] : Object.keys(this.storage() ?? {}).filter((key) => key.startsWith(prefix));
    const latest = others.sort((a, b) => this.time(a) - this.time(b)).pop();
    this.kept = own ?? (latest ? this.read(latest) : undefined) ?? this.kept;
    this.older = !own && latest !== undefined;
    this.write();
  }

  get texts(): Texts {
    return { ...this.lesson.files, ...this.kept.texts };
  }

  get hints() {
    return this.kept.hints;
  }

  set hints(counts: string) {
    this.kept.hints = counts;
    this.write();
  }

  before(file: string): string | undefined {
    return this.kept.before[file];
  }

  /** Keep a file's text; `before` is what an undo brings back, where this was a replacement. */
  save(file: string, text: string, before?: string) {
    this.kept.texts[file] = text;
    if (text === this.lesson.files[file]) delete this.kept.texts[file];
    if (before === undefined) delete this.kept.before[file];
    else this.kept.before[file] = before;
    this.write();
  }

  /** Hear when the same page in another tab changes the work. */
  onOtherTab(changed: () => void) {
    window.addEventListener("storage", (event) => {
      const theirs = event.key === this.key && this.read(this.key);
      if (theirs) {
        this.kept = theirs;
        changed();
      }
    });
  }

  private storage(): Storage | undefined {
    try {
      return localStorage;
    } catch {
      return undefined; // cookies and storage are refused
    }
  }

  private read(key: string): (Kept & { time: number }) | undefined {
    try {
      const kept = JSON.parse(this.storage()?.getItem(key) ?? "null");
      return kept ?? undefined;
    } catch {
      return undefined;
    }
  }

  private time(key: string) {
    return this.read(key)?.time ?? 0;
  }

  private write() {
    try {
      const storage = this.storage();
      storage?.setItem(this.key, JSON.stringify({ ...this.kept, time: Date.now() }));
      this.works = storage !== undefined;
    } catch {
      this.works = false; // it is full
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
      const name = path.split("/").pop()?.replace(/ \(\d+\)(?=\.py$)/, "") ?? "";
      if (names.includes(name) && !path.startsWith("__MACOSX/")) found[name] = strFromU8(content);
    }
  }
  return found;
}
