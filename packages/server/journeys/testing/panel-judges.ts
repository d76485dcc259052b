// Judges of a panel in a journey: added, dealt to, and signed in with their claim links.
import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import type { JudgeList } from '@fairgate/contracts/judging/panel.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { Management } from './management.ts'

type Server = { readonly adminUrl: string; readonly manage: Pick<Management, 'call' | 'post'> }

export type PanelJudge = {
  readonly name: string
  readonly judgeId: string
  /** Sends a request as this judge's page does. */
  readonly ask: Ask
  /** The same through another process, or after a new start. */
  readonly at: (adminUrl: string) => Ask
}

export type Ask = (method: string, path: string, body?: object) => Promise<Response>

/** Writes the set-up, adds these judges, and deals. Signs them in, in the order of the names. */
export async function openPanel(
  { adminUrl, manage }: Server,
  setup: JudgingSetup,
  names: readonly string[],
): Promise<PanelJudge[]> {
  const written = await manage.call('PUT', '/judging/setup', { setup })
  if (!written.ok) throw new Error(`The set-up was refused: ${await written.text()}`)
  await manage.post('/judging/judges', { judges: names.map(name => ({ name })) })
  const { preview_id } = await manage.post<{ readonly preview_id: string }>('/judging/deal', {
    dry_run: true,
  })
  const { items } = await manage.post<JudgeList>('/judging/deal', { preview_id })
  const ids = names.map(name => items.find(judge => judge.name === name)?.judge_id ?? '')
  const codes = await manage.post<JudgeCodesReply>('/judging/codes', { judges: ids })
  return await Promise.all(
    names.map(async (name, at) => {
      const code = codes.items.find(item => item.judge_id === ids[at])?.code ?? ''
      return { name, judgeId: ids[at] ?? '', ...(await enterPanel(adminUrl, code)) }
    }),
  )
}

const ownPage = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

/** Signs in with the code of a claim link. */
export async function enterPanel(adminUrl: string, code: string): Promise<Pick<PanelJudge, 'ask' | 'at'>> {
  const cookie = await signInJudge(adminUrl, code)
  const at = (url: string) => askAs(url, cookie)
  return { ask: at(adminUrl), at }
}

/** Returns the cookie of the session. */
async function signInJudge(adminUrl: string, code: string): Promise<string> {
  const reply = await fetch(`${adminUrl}/judging/sign-in`, {
    method: 'POST',
    headers: ownPage,
    body: JSON.stringify({ code }),
  })
  if (!reply.ok) throw new Error(`The judge could not sign in: ${await reply.text()}`)
  return reply.headers.get('set-cookie')?.split(';')[0] ?? ''
}

function askAs(adminUrl: string, cookie: string): Ask {
  return (method, path, body) =>
    fetch(`${adminUrl}${path}`, {
      keepalive: false,
      method,
      headers: { ...ownPage, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}
