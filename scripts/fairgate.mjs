#!/usr/bin/env node
// The `fairgate` command: the server and its tools, on the Bun that npm installed.
import { fileURLToPath } from 'node:url'
import { runBun } from './bun.mjs'
import { runServer } from './hand-over.mjs'

const args = [
  fileURLToPath(new URL('../packages/server/src/cli/main.ts', import.meta.url)),
  ...process.argv.slice(2),
]
// Only a running server can be replaced. Other arguments, such as --help, go to the program itself.
const [command, option] = process.argv.slice(2)
if (command === 'serve' && (option === undefined || /^--processes(=|$)/.test(option))) runServer(args)
else runBun(args)
