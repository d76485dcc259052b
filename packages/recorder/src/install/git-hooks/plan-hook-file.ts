// Writes our lines into a hook file, at the top so that no `exit` comes before them.
import { insertBlock, writeBlock } from '../files/marked-block.ts'
import { quoteForShell } from '../program/quote.ts'
import { hookLines, hookNote } from './hook-lines.ts'

const block = writeBlock(hookNote, hookLines)

/** `text` is null when there is no file. */
export function writeHookFile(text: string | null): string {
  if (text === null || text === '') return `${['#!/bin/sh', ...block].join('\n')}\n`
  return insertBlock(text, block, text.startsWith('#!') ? 1 : 0)
}

/** A hook that starts the recorder and then the moved hook, with the same input and arguments. It starts that one only if git would have. */
export function writeChainFile(movedTo: string): string {
  const other = quoteForShell(movedTo.replaceAll('\\', '/'))
  return `${['#!/bin/sh', ...block, `[ -x ${other} ] || exit 0`, `exec ${other} "$@"`].join('\n')}\n`
}
