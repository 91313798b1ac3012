/** Keeps all files of one release, so that the page works without a network after the first visit. */

declare const RELEASE: string;
declare const FILES: string[];

const worker = self as unknown as ServiceWorkerGlobalScope;
const PREFIX = `exercise ${worker.registration.scope} `;

const ours = () => caches.open(PREFIX + RELEASE);

async function fill() {
  await (await ours()).addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })));
}

async function tidy() {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== PREFIX + RELEASE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function answer(request: Request) {
  return (await (await ours()).match(request, { ignoreSearch: true })) ?? fetch(request);
}

worker.addEventListener("install", (event) => event.waitUntil(fill()));
worker.addEventListener("activate", (event) => event.waitUntil(tidy()));
worker.addEventListener("message", () => void worker.skipWaiting()); // a person wants the newer release
worker.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
