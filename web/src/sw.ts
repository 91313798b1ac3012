/** Keeps all files of one release, so that the page works without a network after the first visit. */

declare const RELEASE: string;
declare const FILES: string[];

const worker = self as unknown as ServiceWorkerGlobalScope;
const PREFIX = `exercise ${worker.registration.scope} `;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(PREFIX + RELEASE).then((cache) => cache.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })))),
  );
});

worker.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith(PREFIX) && name !== PREFIX + RELEASE));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => worker.clients.claim()));
});

worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

worker.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const kept = caches.open(PREFIX + RELEASE).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((response) => response ?? fetch(event.request)));
});
