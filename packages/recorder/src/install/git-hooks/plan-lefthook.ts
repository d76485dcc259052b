// Adds our command to lefthook-local.yml, which lefthook reads beside the team's own file and which is not committed.
import { insertBlock, removeBlock, writeBlock } from '../files/marked-block.ts'
import { hookCommandLine, hookNote } from './hook-lines.ts'

/** The file is laid out in a way that only a YAML parser could follow. */
export class UnclearYaml extends Error {}

const run = `run: '${hookCommandLine}'`

/** `text` is null when there is no file. Throws UnclearYaml. */
export function writeLefthook(text: string | null): string {
  const lines = removeBlock(text ?? '').split(/\r?\n/)
  const hook = lines.findIndex(line => /^["']?pre-push["']?\s*:/.test(line))
  if (hook < 0) {
    const own = ['pre-push:', '  commands:', '    fairgate-recorder:', `      ${run}`]
    return insertBlock(text ?? '', writeBlock(hookNote, own), Number.POSITIVE_INFINITY)
  }
  if (!/:\s*(?:#.*)?$/.test(lines[hook] ?? '')) throw new UnclearYaml('"pre-push" is not a block of lines')
  const length = lines.slice(hook + 1).findIndex(line => /^\S/.test(line) && !line.startsWith('#'))
  const inner = lines.slice(hook + 1, length < 0 ? undefined : hook + 1 + length)
  const indentation = /^[ ]+/.exec(inner.find(line => /^ +[^\s#]/.test(line)) ?? '  ')?.[0] ?? '  '
  const at = (name: string) =>
    inner.findIndex(line => new RegExp(`^${indentation}${name}\\s*:\\s*(?:#.*)?$`).test(line))
  const place = (offset: number) => hook + 1 + offset + 1
  const deeper = indentation.repeat(2)
  if (at('commands') >= 0) {
    const child = readChildIndentation(inner.slice(at('commands') + 1), deeper)
    const own = ['fairgate-recorder:', `  ${run}`]
    return insertBlock(text ?? '', writeBlock(hookNote, own, child), place(at('commands')))
  }
  if (at('jobs') >= 0) {
    const child = readChildIndentation(inner.slice(at('jobs') + 1), indentation)
    const own = ['- name: fairgate-recorder', `  ${run}`]
    return insertBlock(text ?? '', writeBlock(hookNote, own, child), place(at('jobs')))
  }
  if (inner.some(line => new RegExp(`^${indentation}["']?(?:commands|jobs)\\b`).test(line)))
    throw new UnclearYaml('"commands" is not a block of lines')
  const own = ['commands:', '  fairgate-recorder:', `    ${run}`]
  return insertBlock(text ?? '', writeBlock(hookNote, own, indentation), hook + 1)
}

function readChildIndentation(lines: readonly string[], otherwise: string): string {
  return /^ +(?=[^\s#])/.exec(lines.find(line => /^ *[^\s#]/.test(line)) ?? '')?.[0] ?? otherwise
}
