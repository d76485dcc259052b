// Adds our command to lefthook-local.yml, which lefthook reads together with the team's own file and which is not committed.
//
// The parser finds the place and checks the result. Our lines are inserted as text, because writing the whole file from the parsed
// document would change its quotes, spaces and line ends.
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isScalar, isSeq, type ParsedNode, parseDocument, type Scalar } from 'yaml'
import { listOf, objectOf } from '../../json/members.ts'
import type { Payload } from '../../tools/tool.ts'
import { findBlock, insertBlock, namesRecorder, removeBlock, writeBlock } from '../files/marked-block.ts'
import { hookCommandLine, hookNote } from './choose-route.ts'

/** Our command cannot be added to this file as lines of its own. */
export class UnclearYaml extends Error {}

const name = 'fairgate-recorder'
const run = `run: '${hookCommandLine}'`
const command = [`${name}:`, `  ${run}`]
const job = [`- name: ${name}`, `  ${run}`]

/** `text` is null when there is no file. Throws UnclearYaml. */
export function writeLefthook(text: string | null): string {
  const theirs = removeBlock(text ?? '')
  const document = parse(theirs)
  const [error] = document.errors
  if (error !== undefined) throw new UnclearYaml(`it is not valid YAML: ${error.message.split('\n')[0]}`)
  // A block into which somebody has put a command of their own is not replaced where it is: ours must come after the line above it.
  const isPlain = (findBlock(text ?? '', namesRecorder, 'fairgate-recorder')?.others ?? '') === ''
  const written = insertLines(isPlain ? (text ?? '') : theirs, theirs, document.contents)
  // Lines inserted within braces are invalid, and anchors and merge keys can copy a command to other places in the file.
  const after = parse(written)
  if (after.errors.length > 0 || !isDeepStrictEqual(valuesOf(after), addCommand(valuesOf(document))))
    throw new UnclearYaml('"pre-push" is not laid out as lines to which a command can be added')
  return written
}

/** Lefthook's parser follows merge keys. This one does so only on request. */
function parse(text: string): Document.Parsed {
  return parseDocument(text, { merge: true })
}

function insertLines(text: string, theirs: string, contents: ParsedNode | null): string {
  const hook = findMember(contents, 'pre-push')
  const list = findMember(hook?.value, 'commands') ?? findMember(hook?.value, 'jobs')
  const put = (lines: readonly string[], indentation: string, after: Member | null) =>
    insertBlock(
      text,
      writeBlock(hookNote, lines, indentation),
      after === null ? Infinity : lineAfter(theirs, after),
    )
  if (hook === null) return put(['pre-push:', '  commands:', ...command.map(line => `    ${line}`)], '', null)
  const indentation = indentationOf(theirs, hook, '  ')
  if (list === null) return put(['commands:', ...command.map(line => `  ${line}`)], indentation, hook)
  const isJobs = list.key.value === 'jobs'
  return put(isJobs ? job : command, indentationOf(theirs, list, indentation.repeat(2)), list)
}

type Member = { readonly key: Scalar.Parsed; readonly value: ParsedNode | null }

function findMember(map: ParsedNode | null | undefined, key: string): Member | null {
  if (!isMap<ParsedNode, ParsedNode | null>(map)) return null
  for (const item of map.items)
    if (isScalar(item.key) && item.key.value === key) return { key: item.key, value: item.value }
  return null
}

/** How far the items of this member are indented, or `otherwise` if it has none yet. */
function indentationOf(text: string, { value }: Member, otherwise: string): string {
  if (!isMap(value) && !isSeq(value)) return otherwise
  return ' '.repeat(value.range[0] - (text.lastIndexOf('\n', value.range[0] - 1) + 1))
}

function lineAfter(text: string, { key }: Member): number {
  return text.slice(0, key.range[0]).split('\n').length
}

/** What the file says. Aliases become copies, so that a change in one place affects only that place. */
function valuesOf(document: Document.Parsed): Payload {
  const values: Payload | null = JSON.parse(JSON.stringify(document.toJS()))
  return values ?? {}
}

function addCommand(values: Payload): Payload {
  const hook = objectOf(values, 'pre-push')
  const added =
    'jobs' in hook && !('commands' in hook)
      ? { jobs: [{ name, run: hookCommandLine }, ...listOf(hook, 'jobs')] }
      : { commands: { ...objectOf(hook, 'commands'), [name]: { run: hookCommandLine } } }
  return { ...values, 'pre-push': { ...hook, ...added } }
}
