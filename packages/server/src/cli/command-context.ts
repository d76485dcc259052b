// Calls the admin door for a command, checks the reply, and prints it for people or as JSON.
import { showJson } from '@fairgate/contracts/text/show-hidden.ts'
import type { Command } from 'commander'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { RunAction } from './actions.ts'
import { CommandFailure } from './command-failure.ts'
import type { ProgramDependencies } from './dependencies.ts'
import {
  type AdminDoor,
  type AdminQuery,
  type AdminRequest,
  callAdminDoor,
  streamAdminDoor,
} from './door/call-admin-door.ts'
import { findAdminUrl, readAdminKey } from './door/find-admin-door.ts'
import { layOut } from './output/format.ts'
import { toList } from './output/list-envelope.ts'

const strangeReply =
  'This version does not understand the reply. Do the server and this command have the same version?'

/** Access to the admin door and to the output. */
export type DoorContext = ReturnType<typeof createCommandContext>

/** Everything a command gets. */
export type CommandContext = DoorContext &
  ProgramDependencies & {
    readonly runAction: RunAction
    /** Writes without making text safe for a terminal: for streams, which do it themselves. */
    readonly given: ProgramDependencies
  }

export function createCommandContext(
  program: Command,
  dependencies: Pick<ProgramDependencies, 'fetch' | 'writeOutput' | 'variables' | 'readTextFile'>,
  /** A terminal, for text that is safe there and has colours. Without it the output is laid out for a pipe. */
  terminal: Pick<ProgramDependencies, 'writeOutput' | 'layout' | 'page'> = {
    writeOutput: dependencies.writeOutput,
    layout: { width: null, height: null, isColoured: false },
    page: () => false,
  },
) {
  const { fetch, writeOutput, variables, readTextFile } = dependencies
  const { layout } = terminal
  const options = (): GlobalOptions => program.opts<GlobalOptions>()

  const findDoor = async (): Promise<AdminDoor> => {
    const url = findAdminUrl(options().url, variables)
    return { fetch, url, adminKey: await readAdminKey(variables, readTextFile) }
  }
  const call = async (request: AdminRequest): Promise<unknown> => callAdminDoor(await findDoor(), request)
  /** Indented for people; compact in a pipe, one line for each reply. */
  const printJson = (reply: unknown): void =>
    writeOutput(`${showJson(JSON.stringify(reply, null, layout.width === null ? undefined : 2))}\n`)
  /** Pages lists only: a secret that is shown once must not disappear with the pager. */
  const printText = (text: string, isList: boolean): void => {
    const shown = `${layOut(text, layout)}\n`
    const isLong = layout.height !== null && shown.split('\n').length > layout.height
    if (!(isList && isLong && terminal.page(shown))) terminal.writeOutput(shown)
  }

  return {
    /** Makes one request and prints its reply; `describe` makes the lines for people. `list`: the member with the items, if it is a list. */
    show: async <Schema extends TSchema>(
      request: AdminRequest,
      schema: Schema,
      describe: (reply: Static<Schema>) => string,
      list?: string,
    ): Promise<void> => {
      const reply = await call(request)
      if (options().json === true) return printJson(list === undefined ? reply : toList(reply, list))
      if (Value.Check(schema, reply)) return printText(describe(reply), list !== undefined)
      // The change is made and the reply may have a secret that is shown once, so it is printed in full.
      printJson(reply)
      throw new CommandFailure(1, strangeReply)
    },
    /** Makes one request and returns its reply for use before printing. */
    ask: async <Schema extends TSchema>(request: AdminRequest, schema: Schema): Promise<Static<Schema>> => {
      const reply = await call(request)
      if (Value.Check(schema, reply)) return reply
      throw new CommandFailure(1, strangeReply)
    },
    /** Makes one request with a reply that is not JSON and arrives in chunks. */
    stream: async (path: string, query: AdminQuery, mediaType: string) =>
      streamAdminDoor(await findDoor(), path, query, mediaType),
    printJson,
    /** Address of the admin door, and the key for it. */
    findDoor,
    /** True if --url is given. */
    isUrlGiven: () => options().url !== undefined,
    /** True if --json is given. */
    isJson: () => options().json === true,
    /** Like `show`, for a reply that already arrived. */
    print: <Reply>(reply: Reply, describe: (reply: Reply) => string, list?: string): void => {
      if (options().json === true) printJson(list === undefined ? reply : toList(reply, list))
      else printText(describe(reply), list !== undefined)
    },
  }
}

/** Reads all pages of a list into one, or as many as have `limit` items. `nextOf`: the start of the next page; null at the end. */
export async function readPages<Page extends { readonly items: readonly unknown[] }, Place>(
  read: (place: Place | undefined, maxItems: number) => Promise<Page>,
  nextOf: (page: Page) => Place | null,
  limit = Number.POSITIVE_INFINITY,
): Promise<Omit<Page, 'items'> & { readonly items: Page['items'][number][] }> {
  const items: Page['items'][number][] = []
  for (let place: Place | undefined; ; ) {
    const page = await read(place, limit - items.length)
    items.push(...page.items)
    const next = nextOf(page)
    if (next === null || items.length >= limit) return { ...page, items }
    place = next
  }
}

type GlobalOptions = { readonly url?: string; readonly json?: boolean }
