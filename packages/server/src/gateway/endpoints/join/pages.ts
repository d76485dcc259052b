// The pages with which somebody joins a team: plain HTML without script, in which every name is escaped.
import { createHash } from 'node:crypto'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { OpenClaim } from '../../../claims/join-desk.ts'
import type { Member } from '../../../directory/types.ts'
import { html, type Markup } from '../../../http/html.ts'

const style = `:root{color-scheme:light dark;--line:light-dark(#c9d1dc,#3a4556);--soft:light-dark(#5b6675,#98a3b3);--accent:light-dark(#0b5cad,#7ab8ff)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:44rem;padding:1.5rem 1rem 4rem;font:17px/1.6 system-ui,sans-serif}
h1{line-height:1.2}
fieldset{margin:0 0 1.5rem;padding:.75rem 1rem;border:1px solid var(--line);border-radius:8px}
label{display:block;padding:.35rem 0}
input[type=text]{width:100%;padding:.6rem;font:inherit;border:1px solid var(--line);border-radius:6px}
button{padding:.6rem 1.2rem;margin:0 .5rem .5rem 0;font:inherit;border:1px solid var(--accent);border-radius:6px;background:none;color:var(--accent);cursor:pointer}
pre{padding:.75rem;border:1px solid var(--line);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
.soft{color:var(--soft)}`

/** Nothing from elsewhere, no script, no frame, and forms go to this door only. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

function answerPage(
  title: string,
  content: Markup,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  // The style is written here, so it needs no escaping, which would change its digest.
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
  const reply = new Response(page.markup, { status, headers })
  reply.headers.set('content-type', 'text/html; charset=utf-8')
  reply.headers.set('content-security-policy', policy)
  reply.headers.set('referrer-policy', 'no-referrer')
  reply.headers.set('cache-control', 'no-store')
  return reply
}

export function answerCodePage(): Response {
  return answerPage(
    'Join your team',
    html`<form method="get" action="/join">
<label>The code of your team <input type="text" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required></label>
<p><button>Go on</button></p>
</form>
<p class="soft">It is on the sheet of your team. Capital letters do not matter.</p>`,
  )
}

export function answerTeamPage(
  { claim, team, freeMembers, takenMembers }: OpenClaim,
  path: string,
): Response {
  const isFull = freeMembers.length === 0 && claim.seats_left <= 0
  const title = `Hello, ${team.alias}`
  const taken =
    takenMembers.length === 0
      ? html``
      : html`<p class="soft">Already here: ${takenMembers.map(({ name }) => name).join(', ')}</p>`
  if (isFull)
    return answerPage(
      title,
      html`<p>Every seat of this team is taken. If yours was taken by somebody else, or your laptop is lost, ask the organisers to free it.</p>${taken}`,
    )
  return answerPage(
    title,
    html`<form method="post" action="${path}" enctype="multipart/form-data">
<fieldset><legend>Who are you?</legend>
${freeMembers.map((member, index) => renderSeat(member, index === 0 && freeMembers.length === 1))}
${claim.seats_left > 0 ? renderOther(freeMembers.length === 0, claim.seats_left) : html``}
</fieldset>
<p><button name="want" value="line">I use coding tools: give me the line to paste</button></p>
<p><button name="want" value="key">I only use an SDK: show me the key once</button></p>
</form>
<p class="soft">The line installs the recorder in your repository, makes your key and log token on your laptop, and connects your tools. It works once, for 15 minutes.</p>
${taken}`,
  )
}

function renderSeat({ memberId, name }: Member, isChosen: boolean): Markup {
  return html`<label><input type="radio" name="member" value="${memberId}" required${isChosen ? html` checked` : html``}> ${name}</label>
`
}

function renderOther(isOnly: boolean, seats: number): Markup {
  return html`<label><input type="radio" name="member" value="other" required${isOnly ? html` checked` : html``}> ${isOnly ? 'My name is' : 'Somebody else'} <span class="soft">(${seats === 1 ? '1 seat' : `${seats} seats`} free)</span></label>
<label><input type="text" name="name" maxlength="100" autocomplete="name" placeholder="Name"></label>
`
}

/** `pagePath`: where the form goes that opens the page of the team. */
export function answerLinePage(url: string, pagePath: string, name: string): Response {
  return answerPage(
    `One line, ${name}`,
    html`<p>In a terminal, go to the repository of your team and paste this:</p>
<h2>Linux, macOS</h2>
<pre>curl -fsSL ${url} | sh</pre>
<h2>Windows, in PowerShell</h2>
<pre>irm ${url}/ps1 | iex</pre>
<p class="soft">It works once and for 15 minutes. If the answer is lost, paste the same line again on the same laptop. Keep it to yourself: whoever runs it gets your key.</p>
<form method="post" action="${pagePath}"><p><button>I have run it: open the page of my team</button></p></form>`,
  )
}

/** `cookie`: with which the browser is signed in from now on; null where it is not. */
export function answerKeyPage(
  gatewayUrl: string,
  key: string,
  name: string,
  cookie: string | null,
): Response {
  const signedIn =
    cookie === null
      ? html``
      : html`<p><a href="/">Go on to the page of your team</a>: you are signed in there.</p>`
  const reply = answerPage(
    `Your key, ${name}`,
    html`<p>It is shown this once and kept nowhere else. Copy it now:</p>
<pre>${key}</pre>
<p>Every SDK that speaks OpenAI's API takes it, at this address:</p>
<pre>export OPENAI_BASE_URL=${gatewayUrl}/v1
export OPENAI_API_KEY=${key}</pre>
${signedIn}
<p class="soft">If you have lost it, ask the organisers to free your seat.</p>`,
  )
  if (cookie !== null) reply.headers.set('set-cookie', cookie)
  return reply
}

/** The door's own errors, for people. */
export function writeJoinError(error: ApiError): Response {
  const titles: Readonly<Record<number, string>> = {
    404: 'That did not work',
    410: 'That is over',
    429: 'One moment',
  }
  return answerPage(
    titles[error.status] ?? 'That did not work',
    html`<p>${error.message}</p>
<p><a href="/join">Enter a code</a></p>`,
    error.status,
    error.headers,
  )
}
