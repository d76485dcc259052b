// Commands as separate processes with a reader that leaves at once, as `| head -1` does: no stack trace, no hanging, no complaint. Fails without
// the listeners for `error` in main.ts and output/create-pipe.ts.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { buildBoard, buildKeyRow, buildLoggedEntry } from './testing/build-replies.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))

/** More than a pipe can buffer. */
const many = <Item>(item: Item) => Array.from({ length: 500 }, () => item)
const keys = many(buildKeyRow())
const replies: Readonly<Record<string, unknown>> = {
  '/key/list': { keys, total_count: 500, current_page: 1, total_pages: 1 },
  '/logs/boards': { boards: many(buildBoard({ head: { seq: 9, chain: 'c'.repeat(64) } })) },
  '/logs/entries': { items: many(buildLoggedEntry({ prompt: 'x'.repeat(900) })), next_before: null },
}
let door: Bun.Server<undefined>
let endlessLeft = 0
beforeAll(() => {
  const line = `${JSON.stringify(buildLoggedEntry({ prompt: 'x'.repeat(900) }))}\n`.repeat(50)
  door = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request => {
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith('/logs/export')) return Response.json(replies[pathname])
      const body = async function* () {
        try {
          for (;;) yield line
        } finally {
          endlessLeft += 1
        }
      }
      return new Response(body(), {
        headers: { 'content-type': 'application/x-ndjson' },
      })
    },
  })
})
afterAll(() => door.stop(true))

const commands: readonly (readonly [given: string[]])[] = [
  [['key', 'list', '--json']],
  [['board', 'list']],
  [['logs', 'list']],
  [['logs', 'export']],
  [['logs', 'export', '--follow']],
  [['--help']],
]

test.each(commands)('fairgate %p | head -c 1', async given => {
  const command = ['sh', '-c', '"$@" | head -c 1', 'sh', process.execPath, program, ...given]
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH ?? '', FAIRGATE_ADMIN_KEY: 'key', FAIRGATE_ADMIN_PORT: String(door.port) },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect(stdout).toHaveLength(1)
  expect(stderr).toBe('')
})

test('an endless export ends when its reader leaves', () => {
  expect(endlessLeft).toBe(2)
})
