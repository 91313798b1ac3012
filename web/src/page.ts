/** The page: asks the prediction, shows handout and editor, runs the tests, keeps and packs the work. */

import { Editor } from "./editor";
import { byId, element } from "./element";
import { Keep, packed, unpacked } from "./keep";
import type { Findings, Lesson, Texts } from "./lesson";
import { Python } from "./python";
import { results } from "./results";

async function main() {
  const lessons: { name: string; title: string }[] = await (await fetch("lessons.json")).json();
  const chosen = new URLSearchParams(location.search).get("lesson");
  const { name } = lessons.find((one) => one.name === chosen) ?? lessons[0] ?? { name: "" };
  const lesson: Lesson = await (await fetch(`${name}.json`)).json();
  const keep = new Keep(lesson);
  document.title = lesson.title;
  byId("title").textContent = lesson.title;
  for (const other of lessons.filter((one) => one.name !== name)) {
    byId("others").append(element("a", { href: `?lesson=${other.name}` }, other.title), " ");
  }
  byId("others").hidden = lessons.length < 2;
  const editor = new Editor(byId("tabs"), byId("editor"), keep.texts, (file, text) => {
    keep.save(file, text);
    shown();
  });
  const texts = (): Texts => Object.fromEntries(Object.keys(lesson.files).map((file) => [file, editor.text(file)]));
  const python = new Python(lesson, (share) => {
    byId<HTMLProgressElement>("progress").value = share;
  });
  let tried: Findings | undefined;
  const unanswered = (name: string) => new RegExp(`^${name}\\s*=\\s*None\\b`, "m");
  const asked = lesson.predictions.filter(({ file, name }) => unanswered(name).test(editor.text(file)));

  /** Say it in the live region; what the results show too is for listeners alone. */
  function say(text: string, aloud = false) {
    byId("status").textContent = text;
    byId("status").classList.toggle("aloud", aloud);
  }

  /** Show what depends on the work: the question, the handout's parts, the undo button. */
  function shown() {
    const asking = asked.length > 0;
    byId("prediction").hidden = !asking;
    byId("work").hidden = asking;
    for (const part of byId("handout").querySelectorAll<HTMLElement>(".later")) part.hidden = asking;
    byId("undo").hidden = keep.before(editor.file) === undefined;
    byId("kept").hidden = keep.works;
  }

  /** Replace a file's text; the earlier one can be brought back. */
  function put(file: string, text: string) {
    const before = editor.text(file);
    editor.replace(file, text);
    keep.save(file, text, before);
    shown();
  }

  async function run() {
    byId<HTMLButtonElement>("run").disabled = true;
    say("Running the tests.");
    try {
      await python.ready;
      tried = await python.run(texts(), (call) => say(`${call} took too long and was ended. Running the other tests.`));
      byId("results").replaceChildren(...results(tried, goTo));
      const todo = /TODO (\d+)/.exec(tried.ending[0] ?? "")?.[1];
      if (todo) byId<HTMLSelectElement>("todo").value = todo;
      say([...tried.ending].reverse().join(" ") || "The tests could not run.", true);
      shown();
    } catch (error) {
      say(`Python cannot run here: ${error instanceof Error ? error.message : error}. Reload the page to try again.`);
    }
    byId<HTMLButtonElement>("run").disabled = false;
  }

  /** Show a place such as `work.py, TODO 6 (total)`. */
  function goTo(place: string) {
    const file = place.split(",")[0] ?? "";
    const todo = lesson.todos.find((one) => one.number === Number(/TODO (\d+)/.exec(place)?.[1]));
    const name = /\((\w+)\)/.exec(place)?.[1] ?? todo?.name;
    const line = editor
      .text(file)
      .split("\n")
      .findIndex((text) => new RegExp(`^(async )?(def )?${name}\\b`).test(text));
    editor.goTo(file, line + 1);
    shown();
  }

  async function hint() {
    const number = Number(byId<HTMLSelectElement>("todo").value);
    const given = await python.hint(texts(), number, keep.hints);
    keep.hints = given.counts;
    byId("hint-text").textContent = given.text;
  }

  function handIn() {
    const link = element("a", { href: URL.createObjectURL(packed(texts())), download: "hand-in.zip" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    const files = Object.keys(lesson.files).join(" and ");
    byId("hand-in-text").replaceChildren(
      `hand-in.zip holds ${files}. Upload it `,
      lesson.address ? element("a", { href: lesson.address }, lesson.address) : "where your course asks for it",
      tried ? "." : ". You have not run the tests yet.",
    );
    byId<HTMLDialogElement>("hand-in-dialog").showModal();
  }

  async function open(chosen: FileList | null) {
    try {
      const found = await unpacked(chosen ?? [], Object.keys(lesson.files));
      for (const [file, text] of Object.entries(found)) put(file, text);
      const names = Object.keys(found).join(" and ");
      say(names ? `Opened ${names}.` : `There is no ${Object.keys(lesson.files).join(" or ")} in it.`);
    } catch {
      say("That file cannot be opened: choose a hand-in.zip, or the files of the exercise.");
    }
  }

  function reset() {
    const dialog = byId<HTMLDialogElement>("reset-dialog");
    byId("reset-text").textContent = `Put the released ${editor.file} in place of yours? You can undo this.`;
    dialog.returnValue = "";
    dialog.onclose = () => {
      if (dialog.returnValue !== "yes") return;
      put(editor.file, lesson.files[editor.file] ?? "");
      say(`${editor.file} is as it was released. Undo brings your text back.`);
    };
    dialog.showModal();
  }

  /** Ask the next prediction, and put the answer into the file. */
  function ask() {
    const next = asked[0];
    shown();
    if (!next) return;
    const choices = ["True", "False"].map((value) => {
      const button = element("button", { type: "button" }, value);
      button.addEventListener("click", () => {
        editor.replace(next.file, editor.text(next.file).replace(unanswered(next.name), `${next.name} = ${value}`));
        asked.shift();
        ask();
        say(`${next.name} = ${value} stands in ${next.file} now.`);
        (asked.length ? byId("question").querySelector("button") : byId("title"))?.focus();
      });
      return button;
    });
    const lines = next.question.map((text) => element("p", {}, text));
    byId("question").replaceChildren(...lines, element("p", {}, ...choices));
  }

  const wide = matchMedia("(min-width: 60rem)").matches; // otherwise the editor would be far below
  lesson.handout.forEach(({ title, html }, place) => {
    const part = element("div");
    part.innerHTML = html; // made by the release from the course's own handout
    const summary = element("summary", {}, element("h2", {}, title));
    const folded = place ? element("details", wide ? { open: "" } : {}, summary, part) : part;
    folded.className = place >= lesson.opening ? "later" : "";
    byId("handout").append(folded);
  });
  for (const { number, name } of lesson.todos) {
    byId("todo").append(element("option", { value: String(number) }, `TODO ${number} (${name})`));
  }
  ask();
  const clicks = { run, hint, "hand-in": handIn, reset, undo: () => put(editor.file, keep.before(editor.file) ?? "") };
  for (const [id, work] of Object.entries(clicks)) byId(id).addEventListener("click", () => void work());
  byId("open").addEventListener("click", () => byId("chosen").click());
  byId<HTMLInputElement>("chosen").addEventListener("change", async ({ target }) => {
    await open((target as HTMLInputElement).files);
    (target as HTMLInputElement).value = "";
  });
  for (const event of ["click", "keyup"]) byId("tabs").addEventListener(event, shown);
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || byId("work").hidden) return;
      event.preventDefault();
      if (!byId<HTMLButtonElement>("run").disabled) void run();
    },
    true,
  );
  keep.onOtherTab(() => {
    for (const [file, text] of Object.entries(keep.texts)) editor.replace(file, text);
    say("Your work was changed in another tab, and is shown here.");
  });
  if (keep.older) say("Your work on an earlier release of this exercise was taken over.");
  byId("page").hidden = false;
  byId("failed").hidden = true;
  await python.ready.then(
    () => {
      byId("starting").hidden = true;
      byId<HTMLButtonElement>("run").disabled = false;
    },
    (error) => say(`Python does not start here: ${error.message}. Reload the page to try again.`),
  );
  await offline();
}

/** Keep the page for later without a network, and offer a newer release when there is one. */
async function offline() {
  const worker = navigator.serviceWorker;
  if (!worker) return; // neither https nor localhost
  const registration = await worker.register("sw.js");
  const offer = () => {
    byId("newer").hidden = !(registration.waiting && worker.controller);
  };
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  byId("reload").addEventListener("click", () => registration.waiting?.postMessage("take over"));
  const first = !worker.controller;
  worker.addEventListener("controllerchange", () => first || location.reload());
  offer();
  await worker.ready;
  document.documentElement.dataset.offline = "ready";
}

main().catch((error) => {
  byId("failed").hidden = false;
  byId("failed").append(` It says: ${error.message}`);
});
