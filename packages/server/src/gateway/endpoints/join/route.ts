// GET /join, GET and POST /join/{code}; GET and POST /join/t/{ticket} and what follows from it: how team members get their keys.
// No route needs a credential.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  findCodeQuerySchema,
  joinedSchema,
  joinFormSchema,
  joinLightsSchema,
  useTicketBodySchema,
} from '@fairgate/contracts/join/join.ts'
import Type from 'typebox'
import { hashSecret } from '../../../directory/create-secret.ts'
import type { Call } from '../../../http/call.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { writeError } from '../../../http/write-error.ts'
import { normaliseCode } from '../../../people/claim-code.ts'
import {
  writeJoinPowershell,
  writeJoinScript,
  writeRefusingPowershell,
  writeRefusingScript,
} from './join-script.ts'
import {
  answerCodePage,
  answerKeyPage,
  answerLinePage,
  answerTeamPage,
  type Visit,
  writeJoinError,
} from './pages.ts'
import { type LightsDependencies, readLights } from './read-lights.ts'

export type JoinDependencies = LightsDependencies & {
  readonly page: {
    /** True if one of the door's own pages sent the call: another site must not sign anyone in. */
    readonly isOwn: (call: Call) => boolean
    /** Signs the browser in on the team page. Resolves with the cookie to set. Rejects with StoreUnavailable. */
    readonly signIn: (call: Call, keyHash: string) => Promise<string>
  }
  /** URL of the pages' script; null while it cannot be built. */
  readonly script: () => Promise<string | null>
  readonly addresses: () => { readonly gateway: string; readonly logbook: string }
}

const tag = 'Join a team'
const page = Type.String({ contentMediaType: 'text/html', description: 'An HTML page' })
const script = Type.String({
  contentMediaType: 'text/plain',
  description: 'A script; if the ticket is not valid, the script prints why',
})
const refusals = ['join_not_found', 'join_ended', 'join_refused', 'conflict', 'unavailable'] as const

export function joinRoutes(dependencies: JoinDependencies): Route<null>[] {
  const { service, page: teamPage, script: findScript, addresses, directory, clock } = dependencies
  const answerScript = async (
    call: Call,
    write: (facts: { ticketUrl: string; logbookUrl: string }) => string,
  ): Promise<Response> => {
    const given = call.params.ticket ?? ''
    const { gateway, logbook } = addresses()
    await service.checkTicket(given)
    return sendScript(write({ ticketUrl: `${gateway}/join/t/${given}`, logbookUrl: logbook }))
  }

  const visitOf = ({ request }: Pick<Call, 'request'>): Visit => ({
    event: directory.event(),
    now: clock(),
    userAgent: request.headers.get('user-agent') ?? '',
  })

  return [
    defineRoute({
      method: 'GET',
      tag,
      path: '/join',
      summary: 'Show the page that asks for a team code',
      query: findCodeQuerySchema,
      replies: { 200: page, 303: "Redirects to the code's page" },
      errors: [],
      writeError: writeJoinError,
      errorForm: page,
      handle: (_caller, { query }) => {
        const typed = normaliseCode(query.code ?? '')
        if (typed === '') return answerCodePage({ event: directory.event() })
        return new Response(null, {
          status: 303,
          headers: { location: `/join/${encodeURIComponent(typed)}` },
        })
      },
    }),
    defineRoute({
      method: 'GET',
      tag,
      path: '/join/:code',
      summary: "Show a team's join page with its free seats",
      replies: { 200: page },
      errors: refusals,
      writeError: writeJoinError,
      errorForm: page,
      handle: async (_caller, call: Call) => {
        const typed = call.params.code ?? ''
        const path = `/join/${encodeURIComponent(typed)}`
        const joinUrl = `${addresses().gateway}/join`
        return answerTeamPage(await service.open(typed), { path, joinUrl, code: typed }, visitOf(call))
      },
    }),
    {
      ...defineRoute({
        method: 'POST',
        tag,
        path: '/join/:code',
        summary: 'Take a seat and get a line to paste, or the key itself',
        description:
          'The line contains a ticket that works once, for 15 minutes. The seat is taken when the ticket is used. If the key is shown, the browser is also signed in ' +
          'to the team page, as with `POST /self/session`.',
        bodyKind: 'form',
        maxBodyBytes: 4096,
        body: joinFormSchema,
        replies: { 200: page },
        replyHeaders: ['set-cookie'],
        errors: [...refusals, 'invalid_request'],
        handle: async (_caller, call) => {
          const opened = await service.open(call.params.code ?? '')
          const { gateway } = addresses()
          if (call.body.want === 'key') {
            const { key, member } = await service.showKey(opened, call.body)
            // The key is shown even if the cookie fails: it is stored nowhere else.
            const cookie = teamPage.isOwn(call)
              ? await teamPage.signIn(call, hashSecret(key)).catch(() => null)
              : null
            const facts = { gatewayUrl: gateway, key, name: member.name }
            return answerKeyPage(facts, cookie, visitOf(call), await findScript())
          }
          const secret = await service.giveTicket(opened, call.body)
          const chosen = opened.freeMembers.find(({ memberId }) => memberId === call.body.member)
          const path = `/join/t/${secret}`
          const name = chosen?.name ?? call.body.name ?? ''
          return answerLinePage({ url: `${gateway}${path}`, path, name }, visitOf(call), await findScript())
        },
      }),
      writeError: writeJoinError,
      errorForm: page,
    },
    defineRoute({
      method: 'POST',
      tag,
      path: '/join/t/:ticket',
      summary: 'Create a key and a log token with a ticket',
      description:
        'A ticket works once. Until it expires, the same laptop gets the same key and token again, so a lost reply costs nothing.',
      body: useTicketBodySchema,
      maxBodyBytes: 1024,
      replies: { 200: joinedSchema },
      replyHeaders: ['cache-control'],
      errors: [...refusals, 'invalid_request', 'invalid_json'],
      handle: async (_caller, call) =>
        Response.json(await service.useTicket(call.params.ticket ?? '', call.body.laptop), {
          headers: { 'cache-control': 'no-store' },
        }),
    }),
    defineRoute({
      method: 'POST',
      tag,
      path: '/join/t/:ticket/page',
      summary: 'Open the team page after running the line',
      description:
        'Submitted by the page with the line. Signs in once with the key that the ticket created, until the ticket expires, as with `POST /self/session`. ' +
        'The request must come from a page of this door.',
      replies: { 303: 'Redirects to the team page' },
      replyHeaders: ['set-cookie'],
      errors: [...refusals, 'cross_site'],
      writeError: writeJoinError,
      errorForm: page,
      handle: async (_caller, call: Call) => {
        if (!teamPage.isOwn(call)) throw new ApiError('cross_site')
        const keyHash = await service.takeSignIn(call.params.ticket ?? '')
        const cookie = await teamPage.signIn(call, keyHash)
        return new Response(null, {
          status: 303,
          headers: { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' },
        })
      },
    }),
    defineRoute({
      method: 'GET',
      tag,
      path: '/join/t/:ticket/lights',
      summary: 'Get the setup progress of a laptop',
      description:
        'Polled by the page with the line every second or two. Works until an hour after the ticket expires.',
      replies: { 200: joinLightsSchema },
      replyHeaders: ['cache-control'],
      errors: refusals,
      handle: async (_caller, call: Call) =>
        Response.json(await readLights(dependencies, call.params.ticket ?? ''), {
          headers: { 'cache-control': 'no-store' },
        }),
    }),
    defineRoute({
      method: 'GET',
      tag,
      path: '/join/t/:ticket',
      summary: 'Get the setup script for Linux and macOS',
      description: 'Does not use up the ticket, so a link preview costs nothing.',
      replies: { 200: script },
      replyHeaders: ['cache-control'],
      errors: ['unavailable'],
      writeError: error => writeScriptError(error, writeRefusingScript),
      handle: (_caller, call: Call) => answerScript(call, writeJoinScript),
    }),
    defineRoute({
      method: 'GET',
      tag,
      path: '/join/t/:ticket/ps1',
      summary: 'Get the setup script for PowerShell',
      replies: { 200: script },
      replyHeaders: ['cache-control'],
      errors: ['unavailable'],
      writeError: error => writeScriptError(error, writeRefusingPowershell),
      handle: (_caller, call: Call) => answerScript(call, writeJoinPowershell),
    }),
  ]
}

function sendScript(text: string): Response {
  return new Response(text, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** A shell runs what it is sent, so the refusal is a script with status 200. */
function writeScriptError(error: ApiError, refuse: (message: string) => string): Response {
  return error.status < 500 ? sendScript(refuse(error.message)) : writeError(error)
}
