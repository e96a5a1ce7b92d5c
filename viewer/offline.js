// A service worker: what the page has read once it has without a network, too; where there is one, what is newer is
// taken.
const STORE = 'lal';

async function answer(request) {
    const store = await caches.open(STORE);
    try {
        const fresh = await fetch(request, { cache: 'no-cache' }); // asks whether what the browser has is the newest
        if (fresh.ok) await store.put(request, fresh.clone());
        return fresh;
    } catch (error) {
        const kept = await store.match(request);
        if (kept) return kept;
        throw error;
    }
}

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', event => {
    if (event.request.method === 'GET') event.respondWith(answer(event.request));
});
