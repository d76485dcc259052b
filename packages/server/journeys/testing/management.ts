// Actions of organisers in a journey: create teams, keys and log tokens through the admin door.
import type { TeamInfo } from '@fairgate/contracts/info/team-record.ts'
import type { GeneratedKey } from '@fairgate/contracts/management/key-bodies.ts'
import type { GeneratedLogToken } from '@fairgate/contracts/management/log-tokens.ts'
import type { LogVerification } from '@fairgate/contracts/management/log-verification.ts'
import type { ActionReply } from '@fairgate/contracts/management/planned-action.ts'

export type Management = ReturnType<typeof createManagement>

export function createManagement(adminUrl: string, adminKey: string) {
  const call = async (method: string, path: string, body?: object): Promise<Response> =>
    await fetch(`${adminUrl}${path}`, {
      // A kept connection may be closed by the server just when it is used again, and a POST is not repeated.
      keepalive: false,
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const succeed = async <Reply>(method: string, path: string, body?: object): Promise<Reply> => {
    const response = await call(method, path, body)
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    // The admin door's own tests check its replies against these schemas.
    return (await response.json()) as Reply
  }
  return {
    call,
    post: <Reply>(path: string, body: object) => succeed<Reply>('POST', path, body),
    /** Sends a change of the event and confirms its warnings. */
    change: async (method: 'POST' | 'PUT', path: string, body: object = {}): Promise<ActionReply> => {
      const preview = await succeed<ActionReply>(method, path, { ...body, dry_run: true })
      return await succeed<ActionReply>(method, path, { ...body, preview_id: preview.preview_id })
    },
    /** Creates a team with one key; returns the key. */
    team: async (teamId: string, fields: object = {}, keyFields: object = {}): Promise<string> => {
      await succeed('POST', '/team/new', { team_id: teamId, ...fields })
      return (await succeed<GeneratedKey>('POST', '/key/generate', { team_id: teamId, ...keyFields })).key
    },
    key: async (teamId: string, fields: object = {}): Promise<string> =>
      (await succeed<GeneratedKey>('POST', '/key/generate', { team_id: teamId, ...fields })).key,
    token: (teamId: string) => succeed<GeneratedLogToken>('POST', '/log_token/generate', { team_id: teamId }),
    teamInfo: (teamId: string) => succeed<TeamInfo>('GET', `/team/info?team_id=${teamId}`),
    verifyLog: (teamId: string) => succeed<LogVerification>('GET', `/logs/verify?team_id=${teamId}`),
  }
}
