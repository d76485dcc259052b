#!/usr/bin/env node
// The `fairgate` command: the server and its tools, on the Bun that npm installed.
import { fileURLToPath } from 'node:url'
import { runBun } from './bun.mjs'
import { runServer } from './hand-over.mjs'

const args = [
  fileURLToPath(new URL('../packages/server/src/cli/main.ts', import.meta.url)),
  ...process.argv.slice(2),
]
// Only a plain `serve` can be replaced. Further arguments, such as --help, are for the server itself.
if (process.argv.length === 3 && process.argv[2] === 'serve') runServer(args)
else runBun(args)
