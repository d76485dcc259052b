#!/usr/bin/env node
// The `fairgate` command: the server and its tools, on the Bun that npm installed.
import { fileURLToPath } from 'node:url'
import { runBun } from './bun.mjs'

runBun([
  fileURLToPath(new URL('../packages/server/src/cli/main.ts', import.meta.url)),
  ...process.argv.slice(2),
])
