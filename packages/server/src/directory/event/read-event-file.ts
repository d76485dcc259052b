// Reads an event file. Every error is reported with its line and member, and then nothing in the file is used.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { type EventFile, eventFileSchema } from '@fairgate/contracts/management/event-file.ts'
import { Value } from 'typebox/value'
import { type Document, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { readMembersCsv } from './read-members-csv.ts'

export type ReadFile = {
  /** With the members from its CSV file in their teams. */
  readonly file: EventFile
  /** Runs a check of the file's values. An ApiError that names a member of the file gets its line. */
  readonly withLines: <Result>(judge: () => Result) => Result
}

/** `files`: name → text of the files that it refers to. Throws ApiError `invalid_request` that names line and member. */
export function readEventFile(text: string, files: Readonly<Record<string, string>>): ReadFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [broken] = document.errors
  if (broken !== undefined) throw refuseAt(lines.linePos(broken.pos[0]).line, 'file', broken.message)
  const given = readValue(document)
  const lineOf = (path: readonly string[]) => findLine(document, lines, path)
  if (!Value.Check(eventFileSchema, given)) throw describeFault(given, lineOf)
  const withLines: ReadFile['withLines'] = judge => {
    try {
      return judge()
    } catch (error) {
      if (!(error instanceof ApiError) || error.param === null) throw error
      throw refuseAt(lineOf(splitParam(error.param)), error.param, error.message)
    }
  }
  return { file: withLines(() => addMembers(given, files)), withLines }
}

function readValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? {}
  } catch (cause) {
    throw refuseAt(1, 'file', cause instanceof Error ? cause.message : String(cause))
  }
}

function refuseAt(line: number, param: string, message: string): ApiError {
  return invalidRequest(param === '' ? 'file' : param, `line ${line}: ${message}`)
}

/** Unknown names come first: about their values the check only reports that they should not be there. */
function describeFault(given: unknown, lineOf: (path: readonly string[]) => number): ApiError {
  const faults = Value.Errors(eventFileSchema, given)
  const fault = faults.find(({ keyword }) => keyword === 'additionalProperties') ?? faults[0]
  if (fault === undefined) return refuseAt(1, 'file', 'This is not an event file.')
  const path = fault.instancePath.split('/').slice(1)
  if (fault.keyword === 'additionalProperties') {
    const [name = ''] = fault.params.additionalProperties
    const unknown = [...path, name]
    return refuseAt(lineOf(unknown), joinPath(unknown), `${joinPath(unknown)} is not a known member.`)
  }
  if (fault.keyword === 'required') {
    const missing = [...path, fault.params.requiredProperties[0] ?? '']
    return refuseAt(lineOf(path), joinPath(missing), `${joinPath(missing)} is required.`)
  }
  const place = joinPath(path)
  return refuseAt(lineOf(path), place, `${place === '' ? 'The file' : place} ${fault.message}.`)
}

/** `teams[0].members[1].name` */
function joinPath(path: readonly string[]): string {
  return path.reduce(
    (joined, step) =>
      /^\d+$/.test(step) ? `${joined}[${step}]` : joined === '' ? step : `${joined}.${step}`,
    '',
  )
}

function splitParam(param: string): string[] {
  return param.split(/[.[\]]+/).filter(step => step !== '')
}

/** The line of the member, or of the nearest enclosing one that is there. */
function findLine(document: Document, lines: LineCounter, path: readonly string[]): number {
  let node: unknown = document.contents
  let start = isNode(node) ? (node.range?.[0] ?? 0) : 0
  for (const step of path) {
    const key = isMap(node)
      ? node.items.find(pair => isPair(pair) && isScalar(pair.key) && String(pair.key.value) === step)?.key
      : undefined
    const next: unknown = isMap(node)
      ? node.get(key ?? step, true)
      : isSeq(node)
        ? node.get(Number(step), true)
        : undefined
    const shown = isNode(key) ? key : next
    if (!isNode(shown)) break
    start = shown.range?.[0] ?? start
    node = next
  }
  return lines.linePos(start).line
}

function addMembers(file: EventFile, files: Readonly<Record<string, string>>): EventFile {
  const { members: name, teams = [] } = file
  if (name === undefined) return file
  const text = Object.hasOwn(files, name) ? files[name] : undefined
  if (text === undefined) throw invalidRequest('members', `The file ${name} was not sent.`)
  const byTeam = Map.groupBy(readMembersCsv(name, text), ({ team }) => team)
  const known = new Set(teams.map(({ id }) => id))
  const stray = [...byTeam.keys()].find(team => !known.has(team))
  if (stray !== undefined)
    throw invalidRequest('members', `${name} names the team "${stray}", which is not in the event file.`)
  return {
    ...file,
    teams: teams.map(team => {
      const added = (byTeam.get(team.id) ?? []).map(({ name, email }) => ({ name, email }))
      return added.length === 0 ? team : { ...team, members: [...(team.members ?? []), ...added] }
    }),
  }
}
