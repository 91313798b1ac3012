/**
 * Run hand-ins with the page's Python, under Node, and write for each what the page would show into TO, as JSON.
 *
 * node verdicts.js PAGE LESSON TO < [{"work.py": "..."}, ...]     PAGE is what `grader release --web` wrote.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [page, name, to] = process.argv.slice(2);
const handIns = JSON.parse(readFileSync(0, "utf8"));
const lesson = JSON.parse(readFileSync(`${page}/${name}.json`, "utf8"));
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(`${page}/pytest.zip`)), "zip", { extractDir: "/site" });
python.FS.writeFile("/site/run_exercise.py", readFileSync(new URL("../src/run.py", import.meta.url), "utf8"));
for (const [path, text] of Object.entries({ ...lesson.kit, ...lesson.files })) {
  python.FS.mkdirTree(`/exercise/${path}`.replace(/\/[^/]*$/, ""));
  python.FS.writeFile(`/exercise/${path}`, text);
}
python.runPython("import sys; sys.path.insert(0, '/site')");
const runner = python.pyimport("run_exercise");
const found = handIns.map((texts) =>
  JSON.parse(runner.run(JSON.stringify({ ...lesson.files, ...texts }), "{}", 3, () => {})),
);
writeFileSync(to, JSON.stringify(found));
