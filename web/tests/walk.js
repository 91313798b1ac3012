/**
 * Walk through the page as a student does, in a real browser, and print what was seen as JSON.
 *
 * node walk.js BROWSER ADDRESS FOLDER < {"wrong": ..., "right": ..., "endless": ..., "reaching": ..., "newer": ...}
 * Each of the four has the texts of the exercise's files, "newer" the served files of a newer release, by path.
 * hand-in.zip and pictures are saved into FOLDER.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [executablePath, address, folder] = process.argv.slice(2);
const given = JSON.parse(readFileSync(0, "utf8"));
const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
const page = await context.newPage();
page.setDefaultTimeout(60_000);
const seen = { requests: [], errors: [], axe: {}, seconds: {} };
context.on("request", (request) => seen.requests.push(request.url()));
page.on("pageerror", (error) => seen.errors.push(String(error)));

// biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
const text = (selector) => page.locator(selector).innerText();
const shown = (selector) => page.locator(selector).isVisible();

async function ready() {
  await page.waitForSelector("#run:enabled", { state: "attached", timeout: 120_000 });
}

async function type(texts) {
  for (const [file, content] of Object.entries(texts)) {
    await page.getByRole("tab", { name: file }).click();
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(content);
  }
}

/** Run the tests with the keyboard, and read the results. */
async function run() {
  const began = Date.now();
  await page.evaluate(() => document.getElementById("results").replaceChildren());
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#results table", { timeout: 60_000 }).catch(async (error) => {
    throw new Error(`${error}\nThe page says: ${await text("#work")} ${await text("#status")}`);
  });
  const found = { seconds: (Date.now() - began) / 1000, status: await text("#status"), text: await text("#results") };
  found.points = await page.locator("#results td:nth-child(2)").allInnerTexts();
  found.states = await page.locator("#results td:nth-child(4)").allInnerTexts();
  found.printed = (await page.locator("#results details pre").allTextContents()).at(-1);
  found.pictures = await page.locator("#results svg.slots").count();
  return found;
}

/** Look for accessibility faults, and for what is wider than the screen. */
async function look(name, width, colorScheme) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await page.evaluate(axe);
  seen.axe[`${name} ${width} ${colorScheme}`] = await page.evaluate(async () => {
    const { violations, passes } = await window.axe.run(document, { resultTypes: ["violations"] });
    const { scrollWidth, clientWidth } = document.documentElement;
    const faults = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 100))}`);
    return { faults, passes: passes.length, wide: scrollWidth - clientWidth };
  });
  await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
}

async function lookEverywhere(name) {
  // 640 pixels are what a window of 1280 has at 200 %.
  for (const width of [320, 640]) for (const scheme of ["light", "dark"]) await look(name, width, scheme);
  await page.setViewportSize({ width: 1280, height: 900 });
}

const began = Date.now();
await page.goto(address);
await page.waitForSelector("#prediction", { state: "visible" });
seen.asked = { question: await text("#question"), work: await shown("#work"), handout: await text("#handout") };
await lookEverywhere("first");
await page.getByRole("button", { name: "True" }).focus();
await page.keyboard.press("Enter");
seen.answered = { work: await shown("#work"), handout: await text("#handout"), said: await text("#status") };
await ready();
seen.seconds.start = (Date.now() - began) / 1000;
seen.stubs = await run();

await type(given.wrong);
seen.wrong = await run();
await lookEverywhere("wrong");
await page.click("#hint");
await page.waitForFunction(() => document.getElementById("hint-text").textContent);
seen.hint = await text("#hint-text");

await type(given.endless);
seen.endless = await run();
await type(given.reaching);
seen.reaching = await run();
await type(given.right);
seen.right = await run();
await lookEverywhere("right");

const file = Object.keys(given.right).pop();
await page.getByRole("tab", { name: file }).click();
await page.click("#reset");
await page.getByRole("button", { name: "Reset", exact: true }).click();
seen.reset = await run();
await page.reload();
await ready();
await page.getByRole("tab", { name: file }).click();
await page.click("#undo");
seen.undone = await run();

const [download] = await Promise.all([page.waitForEvent("download"), page.click("#hand-in")]);
await download.saveAs(`${folder}/hand-in.zip`);
seen.download = download.suggestedFilename();
seen.told = await text("#hand-in-dialog");
await page.keyboard.press("Escape");
await type(given.wrong);
await page.setInputFiles("#chosen", `${folder}/hand-in.zip`);
await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Opened"));
seen.opened = await run();

const second = await context.newPage();
await second.goto(address);
await second.getByRole("tab", { name: file }).click();
await second.locator(".cm-content").focus();
await second.keyboard.insertText("# typed in the second tab\n");
await page.waitForFunction(() => document.getElementById("status").textContent.includes("another tab"));
await page.getByRole("tab", { name: file }).click();
await page.locator(".cm-content").focus();
await page.keyboard.press("Control+Home");
seen.otherTab = await page.locator(".cm-line").first().textContent();
await second.close();

// Every control that can be seen is reached by Tab, starting from the top.
await page.evaluate(() => document.activeElement.blur());
const reached = new Set();
for (let step = 0; step < 60; step++) {
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent.slice(0, 30)));
}
seen.reached = [...reached];

await page.waitForSelector("html[data-offline=ready]", { state: "attached", timeout: 60_000 });
await context.setOffline(true);
await page.reload();
await ready();
seen.offline = await run();
await context.setOffline(false);

for (const [path, content] of Object.entries(given.newer)) writeFileSync(path, content);
await page.reload();
await page.waitForSelector("#newer", { state: "visible" });
await Promise.all([page.waitForEvent("load"), page.click("#reload")]);
await ready();
seen.newer = { title: await page.title(), said: await text("#status"), ...(await run()) };
seen.cookies = (await context.cookies()).length;
console.log(JSON.stringify(seen));
await browser.close();
