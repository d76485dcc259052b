// The routes of the admin door. A look-up is a GET, a change says what it needs in a body or in its query, and an act is a change that
// has a dry run. Each route says to whom it is open.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-act.ts'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { CatalogFile } from '../catalog/edit-catalog-file.ts'
import type { ReloadCatalog } from '../catalog/reload-catalog.ts'
import type { Catalog } from '../catalog/types.ts'
import type { Directory } from '../directory/create-directory.ts'
import { type ActResult, buildPreview } from '../directory/planned-act.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import type { Insight } from '../insight/open-insight.ts'
import type { Live } from '../insight/open-live.ts'
import type { Ledger } from '../limits/open-ledger.ts'
import type { Logbook } from '../logbook/open-logbook.ts'
import type { WebhookDesk } from '../operate/notices/webhook-desk.ts'
import type { RunningReadiness } from '../operate/readiness/open-readiness.ts'
import type { ClaimDesk } from '../people/claim-desk.ts'
import { type OpenTo, requireRole } from '../people/roles.ts'
import type { WallDesk } from '../people/wall-desk.ts'
import type { KeptCoverage } from '../record/kept-coverage.ts'
import type { Records } from '../record/open-records.ts'
import { refuseUnknownParameters } from '../record/read-filter.ts'
import type { Store } from '../store/store.ts'
import type { UpstreamHealth } from '../upstream/open-upstreams.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import type { Access } from './create-access.ts'
import type { NoteDesk } from './note-desk.ts'

/** What the routes of the management are made from. */
export type Management = ReturnType<typeof createStamps> &
  Pick<Store, 'read' | 'write'> &
  Pick<Ledger, 'directory' | 'limits' | 'records' | 'corrections'> &
  Pick<Records, 'calls' | 'coverage'> &
  Pick<Insight, 'attention' | 'spend'> & {
    readonly recent: { readonly coverage: Pick<KeptCoverage, 'read'> }
  } & Live &
  Pick<Logbook, 'listBoards' | 'verifyTeam' | 'recorders' | 'entries'> & {
    readonly catalog: Pick<Catalog, 'models' | 'families'>
    readonly reloadCatalog: ReloadCatalog
    readonly catalogFile: CatalogFile
    readonly describeUpstreams: () => readonly Omit<UpstreamHealth, 'recentTries'>[]
    readonly fitness: Omit<RunningReadiness, 'board'> & {
      readonly board: Pick<RunningReadiness['board'], 'version' | 'read' | 'check'>
    }
    readonly claims: ClaimDesk
    readonly webhooks: WebhookDesk
    readonly notes: NoteDesk
    readonly wall: { readonly desk: WallDesk }
    /** Where walls are shown, without a slash at its end. */
    readonly gatewayUrl: () => string
    readonly access: Access
    /** Unix ms. */
    readonly clock: () => number
  }

export type AdminRoute = Route<AdminCaller> & { readonly openTo: OpenTo }

/** The instant of an answer, and the number of the last change of the directory that it rests on. */
export type Moment = () => { readonly as_of: string; readonly version: number }

/** `clock`: Unix ms. */
export function createStamps({ version }: Pick<Directory, 'version'>, clock: () => number) {
  const moment: Moment = () => ({ as_of: isoTime(clock()), version: version() })
  return { moment, stamp: <Made extends object>(made: Made) => ({ ...made, ...moment() }) }
}

type Facts = Pick<
  AdminRoute,
  | 'openTo'
  | 'tag'
  | 'path'
  | 'pathExamples'
  | 'summary'
  | 'description'
  | 'headers'
  | 'maxBodyBytes'
  | 'replyHeaders'
> & {
  /** What it can be refused with besides what every route of its kind can. */
  readonly errors: readonly ErrorCode[]
  /** It may take longer than a silent connection lives. */
  readonly keepsOpen?: true
}

/** A record in the form of the reply's schema, which is answered as JSON, or a reply that is made already. */
type Answered<Reply extends TSchema> = Static<Reply> | Response | Promise<Static<Reply> | Response>

/** `look`: what it answers. */
export function lookupRoute<Query extends TObject, Reply extends TSchema>(
  route: Facts & {
    readonly reply: Reply
    readonly query?: Query
    /** A parameter that the schema does not know is refused: a slip in a filter would answer with everything. */
    readonly isStrict?: true
    readonly look: (query: Static<Query>, call: Call, caller: AdminCaller) => Answered<Reply>
  },
): AdminRoute {
  const { reply, errors, look, isStrict, keepsOpen, ...facts } = route
  const { query } = facts
  return {
    ...facts,
    method: 'GET',
    replies: { 200: reply },
    errors: ['admin_unauthorized', ...errors],
    handle: async (caller, call: Call<unknown, Static<Query>>) => {
      if (isStrict === true && query !== undefined)
        refuseUnknownParameters(query, new URL(call.request.url).searchParams)
      if (keepsOpen === true) call.keepOpen()
      return answer(await look(call.query, call, caller))
    },
  }
}

/** What a change is told: in the body, or for a DELETE and what takes no body in the query. */
type Given<Schema extends TSchema> = { readonly body: Schema } | { readonly query: Schema }
type Params = Readonly<Record<string, string>>

/** `change`: makes it and answers its reply. `actor` is who makes it, for the audit. */
export function changeRoute<Schema extends TSchema, Reply extends TSchema>(
  route: Facts &
    Given<Schema> & {
      readonly reply: Reply
      /** POST with a body and DELETE with a query when absent. */
      readonly method?: 'POST' | 'PUT'
      readonly change: (
        given: Static<Schema>,
        actor: string,
        params: Params,
        caller: AdminCaller,
        call: Call,
      ) => Answered<Reply>
    },
): AdminRoute {
  const hasBody = 'body' in route
  const { method = hasBody ? 'POST' : 'DELETE', reply, errors, change, keepsOpen, ...facts } = route
  const usual = hasBody ? (['invalid_request', 'invalid_json'] as const) : (['invalid_request'] as const)
  return {
    ...facts,
    method,
    replies: { 200: reply },
    errors: ['admin_unauthorized', ...usual, ...errors, 'unavailable'],
    handle: async (caller, call: Call<Static<Schema>, Static<Schema>>) => {
      if (keepsOpen === true) call.keepOpen()
      const given = hasBody ? call.body : call.query
      return answer(await change(given, caller.actor, call.params, caller, call))
    },
  }
}

export const previewText =
  'With `dry_run` it answers what would change and changes nothing; the `preview_id` of that answer makes the act fail if it would do something else by then.'

/** A change that answers what it made, as `describe` writes it, or what it would change. */
export function actRoute<Schema extends TSchema, Reply extends TSchema, Made>(
  moment: Moment,
  route: Facts &
    Given<Schema> & {
      readonly reply: Reply
      readonly method?: 'POST'
      readonly act: (given: Static<Schema>, actor: string, params: Params) => Promise<ActResult<Made>>
      readonly describe: (
        made: Made,
        given: Static<Schema>,
        params: Params,
      ) => Static<Reply> | Promise<Static<Reply>>
    },
): AdminRoute {
  const { act, describe, description, reply, errors, ...facts } = route
  return changeRoute({
    ...facts,
    description: description === undefined ? previewText : `${description} ${previewText}`,
    reply: Type.Union([reply, previewReplySchema]),
    errors: [...errors, 'preview_outdated'],
    change: async (given: Static<Schema>, actor, params) => {
      const { outcome, made } = await act(given, actor, params)
      return answer(
        made === null ? { ...buildPreview(outcome), ...moment() } : await describe(made, given, params),
      )
    },
  })
}

/** Management replies hold secrets and figures of the moment: no cache may keep them. */
export function answer(body: unknown): Response {
  return body instanceof Response ? body : Response.json(body, { headers: { 'cache-control': 'no-store' } })
}

/** A record that is JSON already: stored texts go out as they are. */
export function answerText(json: string): Response {
  return new Response(json, {
    headers: { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store' },
  })
}

const texts: Readonly<Record<OpenTo, string>> = {
  organisers: 'For organisers.',
  judges: 'For organisers and judges.',
  operators: 'For organisers and operators.',
  everyone: 'For every role.',
}

/** The route as the door serves it: who may not call it is refused before the body is read. */
export function guardByRole({ openTo, ...route }: AdminRoute): Route<AdminCaller> {
  const { description, errors } = route
  return {
    ...route,
    description: description === undefined ? texts[openTo] : `${description} ${texts[openTo]}`,
    errors: openTo === 'everyone' ? [...errors, 'cross_site'] : [...errors, 'admin_forbidden', 'cross_site'],
    gate: {
      enter: ({ role }) => requireRole(role, openTo),
      checkBeforeBody: () => undefined,
      leave: () => undefined,
    },
  }
}
