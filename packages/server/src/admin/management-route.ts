// Defines the admin door's route kinds. A lookup is a GET, a change takes its input from the body or the query, and an action is a change with a
// dry run. Each route names the roles it is open to.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import type { OpenTo } from '@fairgate/contracts/management/roles.ts'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { CatalogFile } from '../catalog/edit-catalog-file.ts'
import type { ReloadCatalog } from '../catalog/reload-catalog.ts'
import type { Catalog } from '../catalog/types.ts'
import type { Directory } from '../directory/create-directory.ts'
import { type ActionResult, buildPreview } from '../directory/planned-action.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import type { Insight } from '../insight/open-insight.ts'
import type { Live } from '../insight/open-live.ts'
import type { Judging } from '../judging/open-judging.ts'
import type { Ledger } from '../limits/open-ledger.ts'
import type { Logbook } from '../logbook/open-logbook.ts'
import type { WebhookService } from '../operate/notices/webhook-service.ts'
import type { RunningReadiness } from '../operate/readiness/open-readiness.ts'
import type { ClaimService } from '../people/claim-service.ts'
import { requireRole } from '../people/roles.ts'
import type { WallService } from '../people/wall-service.ts'
import type { KeptCoverage } from '../record/kept-coverage.ts'
import type { Records } from '../record/open-records.ts'
import { refuseUnknownParameters } from '../record/read-filter.ts'
import type { Store } from '../store/store.ts'
import type { SubmissionService } from '../submissions/submission-service.ts'
import type { UpstreamHealth } from '../upstream/open-upstreams.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import type { Access } from './create-access.ts'
import type { NoteService } from './note-service.ts'

/** Dependencies of the management routes. */
export type Management = ReturnType<typeof createStamps> &
  Pick<Store, 'read' | 'write'> &
  Pick<Ledger, 'directory' | 'limits' | 'records' | 'corrections'> &
  Pick<Records, 'calls' | 'coverage'> &
  Pick<Insight, 'attention' | 'spend'> & {
    readonly recent: { readonly coverage: Pick<KeptCoverage, 'read' | 'has' | 'sessionsOf' | 'want'> }
  } & Live &
  Pick<Logbook, 'listBoards' | 'verifyTeam' | 'recorders' | 'entries'> & {
    readonly catalog: Pick<Catalog, 'models' | 'families'>
    readonly reloadCatalog: ReloadCatalog
    readonly catalogFile: CatalogFile
    readonly describeUpstreams: () => readonly Omit<UpstreamHealth, 'recentTries'>[]
    readonly fitness: Omit<RunningReadiness, 'board'> & {
      readonly board: Pick<RunningReadiness['board'], 'version' | 'read' | 'check'>
    }
    readonly claims: ClaimService
    readonly webhooks: WebhookService
    readonly notes: NoteService
    readonly submissions: SubmissionService
    readonly judging: Judging
    readonly wall: { readonly service: WallService }
    /** The address that shows walls, without a trailing slash. */
    readonly gatewayUrl: () => string
    /** The address that shows judges their page, without a trailing slash. */
    readonly judgingUrl: () => string
    readonly access: Access
    /** Unix ms. */
    readonly clock: () => number
  }

export type AdminRoute = Route<AdminCaller> & { readonly openTo: OpenTo }

/** The time of a reply, and the version of the directory it is based on. */
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
  /** Error codes besides those that every route of its kind has. */
  readonly errors: readonly ErrorCode[]
  /** For routes that may take longer than the idle timeout of a connection. */
  readonly keepsOpen?: true
}

/** A record of the reply's schema, which is sent as JSON, or a finished reply. */
type Answered<Reply extends TSchema> = Static<Reply> | Response | Promise<Static<Reply> | Response>

/** Defines a GET route. `look` returns its reply. */
export function lookupRoute<Query extends TObject, Reply extends TSchema>(
  route: Facts & {
    readonly reply: Reply
    readonly query?: Query
    /** Refuses parameters that the schema does not have, because a typo in a filter would return everything. */
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

/** Input of a change: the body, or the query for a DELETE and for routes without a body. */
type Given<Schema extends TSchema> = { readonly body: Schema } | { readonly query: Schema }
type Params = Readonly<Record<string, string>>

/** Defines a route that changes something. `change` makes the change and returns its reply. `actor`: the name for the audit. */
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
  'With `dry_run` it returns what would change and changes nothing. With the `preview_id` of that reply the action fails if it would do something else by then.'

/** Defines a change with a dry run. It returns its result, as `describe` formats it, or what it would change. */
export function actionRoute<Schema extends TSchema, Reply extends TSchema, Made>(
  moment: Moment,
  route: Facts &
    Given<Schema> & {
      readonly reply: Reply
      readonly method?: 'POST'
      readonly action: (given: Static<Schema>, actor: string, params: Params) => Promise<ActionResult<Made>>
      readonly describe: (
        made: Made,
        given: Static<Schema>,
        params: Params,
      ) => Static<Reply> | Promise<Static<Reply>>
    },
): AdminRoute {
  const { action, describe, description, reply, errors, ...facts } = route
  return changeRoute({
    ...facts,
    description: description === undefined ? previewText : `${description} ${previewText}`,
    reply: Type.Union([reply, previewReplySchema]),
    errors: [...errors, 'preview_outdated'],
    change: async (given: Static<Schema>, actor, params) => {
      const { outcome, made } = await action(given, actor, params)
      return answer(
        made === null ? { ...buildPreview(outcome), ...moment() } : await describe(made, given, params),
      )
    },
  })
}

/** Management replies are never cached, because they have secrets and current figures. */
export function answer(body: unknown): Response {
  return body instanceof Response ? body : Response.json(body, { headers: { 'cache-control': 'no-store' } })
}

/** Sends a record that already is JSON, so that stored texts go out unchanged. */
export function answerText(json: string): Response {
  return new Response(json, {
    headers: { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** The same for an entry: `body`, its JSON, becomes the member `entry`. */
export function answerStored(facts: object, body: string): Response {
  return answerText(`${JSON.stringify(facts).slice(0, -1)},"entry":${body}}`)
}

const texts: Readonly<Record<OpenTo, string>> = {
  organisers: 'For organisers.',
  head_judges: 'For organisers and head judges.',
  head_judge: 'For head judges.',
  judges: 'For organisers, head judges and judges.',
  operators: 'For organisers and operators.',
  everyone: 'For every admin key.',
  panel: 'For judges of the panel.',
  signed_in: 'For every admin key and for judges of the panel.',
}

const judgeSession = {
  name: 'judgeSession',
  scheme: {
    type: 'apiKey',
    in: 'cookie',
    name: 'fairgate_session',
    description: 'The session of a judge, from `POST /judging/sign-in`',
  },
} as const

/** Adds the role check, which refuses other callers before the body is read. */
export function guardByRole({ openTo, ...route }: AdminRoute): Route<AdminCaller> {
  const { description, errors } = route
  return {
    ...route,
    ...(openTo === 'panel' ? { credential: judgeSession } : {}),
    description: description === undefined ? texts[openTo] : `${description} ${texts[openTo]}`,
    errors: openTo === 'signed_in' ? [...errors, 'cross_site'] : [...errors, 'admin_forbidden', 'cross_site'],
    gate: {
      enter: caller => requireRole(caller, openTo),
      checkBeforeBody: () => undefined,
      leave: () => undefined,
    },
  }
}
