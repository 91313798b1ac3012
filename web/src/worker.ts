/** Python in a worker: starts, runs the tests, gives hints, and says when the student's code begins and ends. */

import { loadPyodide } from "pyodide";
import { SLOWER } from "./lesson";
import glue from "./run.py";

const HOME = "/exercise";

async function start(base: string, kit: Record<string, string>, download: Record<string, number>) {
  // The browser keeps what is fetched here; Pyodide then finds it there.
  const whole = Object.values(download).reduce((sum, size) => sum + size, 0);
  let loaded = 0;
  const fetched: Record<string, Uint8Array> = {};
  for (const name of Object.keys(download)) {
    const response = await fetch(base + name);
    if (!response.ok || !response.body) throw new Error(`${name} cannot be loaded (${response.status})`);
    const parts: Uint8Array[] = [];
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      loaded += value.length;
      postMessage({ progress: (0.5 * loaded) / whole });
    }
    fetched[name] = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  }
  const python = await loadPyodide({
    indexURL: `${base}pyodide/`,
    lockFileContents: fetched["pyodide/pyodide-lock.json"] && new TextDecoder().decode(fetched["pyodide/pyodide-lock.json"]),
  });
  postMessage({ progress: 0.7 });
  python.unpackArchive(fetched["pytest.zip"] as Uint8Array, "zip", { extractDir: "/site" });
  python.FS.writeFile("/site/run_exercise.py", glue);
  for (const [path, text] of Object.entries(kit)) {
    python.FS.mkdirTree(`${HOME}/${path}`.replace(/\/[^/]*$/, ""));
    python.FS.writeFile(`${HOME}/${path}`, text);
  }
  python.runPython("import sys; sys.path.insert(0, '/site')");
  const runner = python.pyimport("run_exercise");
  postMessage({ progress: 0.85 });
  return runner as Runner;
}

/** What run.py offers. */
interface Runner {
  run(home: string, texts: string, ended: string, slower: number, tell: (what: string, name: string) => void): string;
  hint(home: string, texts: string, number: number, counts: string): string;
}

let runner: Runner;

addEventListener("message", async ({ data }) => {
  try {
    if (data.start) {
      const { base, files, kit, download } = data.start;
      runner = await start(base, { ...kit, ...files }, download);
      runner.run(HOME, "{}", "{}", SLOWER, () => {}); // so that the student's first run is a quick one
      postMessage({ ready: true });
    } else if (data.run) {
      const tell = (what: string, name: string) => postMessage({ at: what && { what, name } });
      const said = runner.run(HOME, JSON.stringify(data.run.texts), JSON.stringify(data.run.ended), SLOWER, tell);
      postMessage({ findings: JSON.parse(said) });
    } else {
      const { texts, number, counts } = data.hint;
      postMessage({ hint: JSON.parse(runner.hint(HOME, JSON.stringify(texts), number, counts)) });
    }
  } catch (error) {
    postMessage({ fault: String(error) });
  }
});
