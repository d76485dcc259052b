// `fairgate api METHOD PATH`: calls any route of the admin door, with the address and the key that the other commands use.
import { type Command, InvalidArgumentError } from 'commander'
import { addCommand } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import { type AdminRoute, callRoute, formatQuery } from '../door/call-admin-door.ts'
import type { Fields } from '../options.ts'
import { selectFields } from '../output/select-fields.ts'
import { createOutput } from '../output/write-stream.ts'

const help = `
A field is key=value for text, key:=json for anything else, and key=@file for the text of a file (@- reads standard input).
Text that begins with @ is written as JSON: text:='"@all: lunch"'.
GET and DELETE send fields in the query, POST and PUT in a JSON body, on top of the object from --input.
The reply is JSON, indented on a terminal and compact in a pipe. A reply that is not JSON is written as it comes.
--fields selects from each item of a list, otherwise from the reply; a.b reaches into a and into the items of a list a.
The routes with their fields are on the page /docs of the admin door and in GET /openapi.json.

Examples:
  $ fairgate api GET /attention
  $ fairgate api GET /team/info team_id=red detail=true
  $ fairgate api GET /people --paginate --fields name,team_id,keys.key_alias
  $ fairgate api POST /notes subject=team team_id=red text="Ask about tests."
  $ fairgate api POST /webhooks url=https://a.example events:='["budget_spent"]'
  $ fairgate api POST /wall_tokens name=Foyer shows_budgets:=true
  $ fairgate api DELETE /wall_tokens/wt_… reason="the event is over"
  $ fairgate api POST /event/apply file=@event.yaml dry_run:=true
  $ fairgate api PUT /event --input event.json`

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const
type Method = (typeof methods)[number]

export function addApiCommand(program: Command, context: CommandContext): void {
  addCommand(
    program,
    {
      verb: 'api',
      description: 'call any route of the admin door',
      arguments: [
        ['<method>', methods.join(', ')],
        ['<path>', 'path of the route, such as /team/list'],
        ['[fields...]', 'key=value, key:=json or key=@file'],
      ],
      options: [
        ['--input <file>', 'send the JSON object in this file as the body (- reads standard input)'],
        ['--paginate', 'follow "next" and print the items of all pages as one list'],
        ['--fields <a,b.c>', 'print only these fields', parsePaths],
      ],
      help,
    },
    async ({ input, paginate, fields: paths }, givenMethod = '', path = '', ...given) => {
      const method = readMethod(givenMethod)
      checkPath(path)
      if (paginate === true && method !== 'GET') throw refuseUsage('--paginate works with GET only.')
      if (input !== undefined && !hasBody(method))
        throw refuseUsage(`${method} has no body. Give the fields as key=value instead of --input.`)
      const fields = await readFieldArguments(context, given)
      const base = typeof input === 'string' ? await readBody(context, input) : {}
      const request: AdminRoute = hasBody(method)
        ? { method, path, body: { ...base, ...fields } }
        : { method, path: addQuery(path, fields) }
      const door = await context.findDoor()
      const reply = await callRoute(door, request)
      if ('stream' in reply) {
        if (paths !== undefined || paginate === true)
          throw refuseUsage('the reply is not JSON. Leave out --fields and --paginate.')
        const write = createOutput(context.given, reply.isCsv ? 'csv' : 'ndjson')
        for await (const piece of reply.stream) if (!(await write(piece))) return
        return
      }
      const whole = paginate === true ? await readAllPages(door, request, reply.json) : reply.json
      if (!Array.isArray(paths)) return context.printJson(whole)
      const { selected, missing } = selectFields(whole, paths)
      if (missing === null) return context.printJson(selected)
      // The change is made, and its reply may have a secret that is shown once.
      if (method !== 'GET') context.printJson(whole)
      throw new CommandFailure(1, missing)
    },
  )
}

function readMethod(given: string): Method {
  const method = methods.find(name => name === given.toUpperCase())
  if (method !== undefined) return method
  throw refuseUsage(
    given.startsWith('/')
      ? `the method comes before the path, such as: fairgate api GET ${given}`
      : `the method is "${given}". Use ${methods.join(', ')}.`,
  )
}

function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT'
}

function checkPath(path: string): void {
  if (URL.canParse(path)) throw refuseUsage('the path is a whole address. Put the address into --url.')
  if (!path.startsWith('/')) throw refuseUsage(`the path is "${path}". Begin it with a slash: /${path}`)
  // A character that a URL would encode or cut off is a slip of quoting.
  if (/[\s#\\]/.test(path))
    throw refuseUsage(
      'the path has a space, # or \\. Encode it, such as %20, or give it as a field: q="a b".',
    )
}

function addQuery(path: string, fields: Fields): string {
  for (const [key, value] of Object.entries(fields))
    if (typeof value === 'object')
      throw refuseUsage(`${key} is ${JSON.stringify(value)}. A query has text, numbers, true and false only.`)
  const query = formatQuery(fields)
  return path.includes('?') ? `${path}${query.replace('?', '&')}` : `${path}${query}`
}

type Reader = Pick<CommandContext, 'readTextFile' | 'readInput'>

/**
 * `key=value` and `key:=json`, as in HTTPie. The -f and -F of gh were rejected: each field needs a flag, the two differ only in case, and -F
 * guesses the type, so that a team with the id 007 becomes a number.
 */
async function readFieldArguments(reader: Reader, given: readonly string[]): Promise<Fields> {
  const fields: Record<string, unknown> = {}
  for (const argument of given) {
    const [, key, sign, value = ''] = /^([A-Za-z_]\w*)(:?=)(.*)$/s.exec(argument) ?? []
    if (key === undefined)
      throw refuseUsage(`"${argument}" is not a field. Write key=value or key:=json, such as limit:=20.`)
    if (Object.hasOwn(fields, key)) throw refuseUsage(`the field ${key} is given twice.`)
    const text = value.startsWith('@') ? await readSource(reader, value.slice(1), `${key}=`) : value
    fields[key] = sign === ':=' ? parseJson(text, `${key}:=`) : text
  }
  return fields
}

async function readBody(reader: Reader, source: string): Promise<Fields> {
  const body = parseJson(await readSource(reader, source, '--input'), '--input')
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  throw refuseUsage('--input must be a JSON object, such as {"name":"AI Cup"}.')
}

async function readSource({ readTextFile, readInput }: Reader, path: string, what: string): Promise<string> {
  try {
    return path === '-' ? await readInput() : await readTextFile(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw refuseUsage(`${what}: the file "${path}" cannot be read (${code}).`)
  }
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw refuseUsage(
      `${what} is not JSON (${why}). Text is written key=value, or with quotes: key:='"text"'.`,
    )
  }
}

function parsePaths(text: string): readonly string[] {
  const paths = text.split(',').map(path => path.trim())
  if (paths.every(path => /^\w+(\.\w+)*$/.test(path))) return paths
  throw new InvalidArgumentError('Write names separated by commas, such as name,keys.key_alias.')
}

/** Member with the continuation of a list → parameter of the next request. */
const places = { next: 'after', next_before: 'before', next_before_id: 'before_id' } as const

/** `first`: the reply to `request`. Returns one list in the common form, so that a script reads `items` with or without pages. */
async function readAllPages(
  door: Awaited<ReturnType<CommandContext['findDoor']>>,
  request: AdminRoute,
  first: unknown,
): Promise<{ readonly items: readonly unknown[]; readonly next: null }> {
  const items: unknown[] = []
  for (let page = readPage(first), last: unknown = null; ; ) {
    items.push(...page.items)
    if (page.next === null) return { items, next: null }
    if (page.next === last) throw new CommandFailure(1, 'The server gave the same page twice.')
    last = page.next
    const path = setParameter(request.path, page.parameter, String(page.next))
    const reply = await callRoute(door, { ...request, path })
    page = readPage('json' in reply ? reply.json : null)
  }
}

function readPage(reply: unknown) {
  const members: Fields = typeof reply === 'object' && reply !== null ? { ...reply } : {}
  const [member, parameter] = Object.entries(places).find(([name]) => Object.hasOwn(members, name)) ?? []
  // Older lists have their items under a name of their own.
  const items = members.items ?? Object.values(members).find(Array.isArray)
  if (member === undefined || parameter === undefined || !Array.isArray(items))
    throw refuseUsage('the reply has no "next" to follow. Leave out --paginate.')
  return { items: items as readonly unknown[], next: members[member] ?? null, parameter }
}

function setParameter(path: string, name: string, value: string): string {
  const [bare = '', query = ''] = path.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set(name, value)
  return `${bare}?${parameters}`
}
