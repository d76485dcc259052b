// Gateways that no package registry offers as a runnable program. Each was tried on the date given.

export const absentPeers = [
  {
    title: 'bifrost',
    version: '@maximhq/bifrost@1.6.3',
    reason:
      'its npm package only fetches a program from downloads.getmaxim.ai, which is no package registry; the Go module proxy refused its modules (November 2026)',
  },
  {
    title: 'one-api, new-api',
    version: '–',
    reason: 'published as images and on GitHub; the Go module proxy refused both modules (November 2026)',
  },
] as const
