// The pages for joining a team: HTML that works without script, in the colours of the other pages, with every name escaped.
import { createHash } from 'node:crypto'
import { writeTokens } from '@fairgate/console/write-tokens.ts'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type JoinLightName, joinLightNames } from '@fairgate/contracts/join/join.ts'
import type { Event } from '../../../directory/event/event.ts'
import type { Member } from '../../../directory/types.ts'
import { html, type Markup } from '../../../http/html.ts'
import { type OpenClaim, ticketMs } from '../../../people/join-service.ts'

/** The path under which the door serves the files of the team page, including fonts. */
const filesRoot = '/page'

const style = `${writeTokens(filesRoot)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--ground);color:var(--text);font:16px/1.5 "Inter","Inter fallback",system-ui,sans-serif}
header{display:flex;align-items:center;gap:10px;padding:12px 16px;border-bottom:1px solid var(--line);background:var(--panel);font-weight:640}
main{margin:0 auto;max-width:36rem;padding:24px 16px 64px}
h1{margin:16px 0;font-size:24px;line-height:30px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:20px 0 6px;font-size:14px;line-height:20px}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.steps{display:flex;gap:6px;margin:0;padding:0;list-style:none;font-size:13px;line-height:20px;color:var(--muted)}
.steps li{flex:1;padding-top:6px;border-top:3px solid var(--line)}
.steps li.done{border-color:var(--fill-ok)}
.steps li[aria-current]{border-color:var(--accent);color:var(--text);font-weight:600}
.card{margin:0 0 16px;padding:16px;border:1px solid var(--line);border-radius:10px;background:var(--panel)}
.card>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
fieldset{margin:0;padding:0;border:0}
legend{padding:0 0 8px;font-weight:600}
.seat{display:flex;align-items:center;gap:10px;min-height:48px;margin:0 0 8px;padding:8px 12px;border:1px solid var(--control);border-radius:8px;cursor:pointer;overflow-wrap:anywhere}
.seat:has(:checked){border-color:var(--accent);background:var(--accent-tint)}
.seat input{flex:none;width:18px;height:18px;margin:0;accent-color:var(--accent-fill)}
.field{display:block;margin:0 0 12px;font-weight:600}
.field input{display:block;width:100%;margin-top:6px;padding:11px 12px;font:inherit;font-weight:400;color:inherit;background:var(--panel);border:1px solid var(--control);border-radius:8px}
.field input.code{font:600 22px/28px "JetBrains Mono",ui-monospace,monospace;letter-spacing:.08em;text-transform:uppercase}
.button{display:block;width:100%;min-height:48px;margin:12px 0 0;padding:10px 16px;font:600 16px/24px "Inter",system-ui,sans-serif;border:1px solid var(--control);border-radius:8px;background:var(--panel);color:var(--text);cursor:pointer;text-align:center;text-decoration:none}
.button.first{border-color:var(--accent-fill);background:var(--accent-fill);color:#fff}
.button.first:hover{background:var(--accent-hover)}
pre{margin:0 0 8px;padding:12px;border:1px solid var(--line);border-radius:8px;background:var(--sunken);font:14px/20px "JetBrains Mono",ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
.lights{margin:0;padding:0;list-style:none}
.lights li{display:grid;grid-template-columns:1.5rem 1fr;padding:6px 0;border-top:1px solid var(--line)}
.lights li:first-child{border-top:0}
.lights b{display:block}
.lights i{font-style:normal;color:var(--faint)}
.lights [data-state=ok] i{color:var(--ok)}
.lights [data-state=warn] i{color:var(--warn)}
.lights [data-state=blocked] i{color:var(--bad)}
.soft{color:var(--muted);font-size:14px;line-height:20px}
.note{padding:12px;border-radius:8px;background:var(--warn-tint);color:var(--warn)}`

/** Nothing from elsewhere, no inline script, no frame. Fonts, scripts and forms only from this door. */
const policy = `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

const sign = html`<svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="#1f5fd0"/><path d="M5.5 18.5v-7a6.5 6.5 0 0 1 13 0v7M9.5 18.5v-6.5a2.5 2.5 0 0 1 5 0v6.5M12 5v13.5M5.5 14h13" fill="none" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>`

const steps = ['Your code', 'Who you are', 'Your key']

/** The visit of a page: at which event, when (Unix ms), with which browser. */
export type Visit = {
  readonly event: Pick<Event, 'name' | 'timeZone' | 'phases'>
  readonly now: number
  readonly userAgent: string
}

/** `step`: which of the three this is; absent if it is none. */
type PageFacts = {
  readonly event?: Pick<Event, 'name'>
  readonly step?: 0 | 1 | 2
  readonly status?: number
  /** URL of the script that drives the page's buttons and lights. */
  readonly script?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

function renderSteps(current: number): Markup {
  const items = steps.map((name, index) =>
    index === current
      ? html`<li aria-current="step">${name}</li>`
      : html`<li class="${index < current ? 'done' : 'next'}">${name}</li>`,
  )
  return html`<ol class="steps">${items}</ol>`
}

function answerPage(
  title: string,
  content: Markup,
  { event, step, status = 200, script = null, headers = {} }: PageFacts = {},
): Response {
  // The style is a constant, so it needs no escaping, which would change its digest.
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ markup: style }}</style>
${script === null ? html`` : html`<script type="module" src="${script}"></script>`}
</head>
<body>
<header>${sign} <bdi>${event === undefined || event.name === '' ? 'Fairgate' : event.name}</bdi></header>
<main>
${step === undefined ? html`` : renderSteps(step)}
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

export function answerCodePage({ event }: Pick<Visit, 'event'>): Response {
  return answerPage(
    'Join your team',
    html`<form method="get" action="/join" class="card">
<label class="field">Team code <input class="code" type="text" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required autofocus></label>
<button class="button first">Continue</button>
</form>
<p class="soft">You will find it on your team sheet. Upper or lower case does not matter.</p>`,
    { event, step: 0 },
  )
}

export function answerTeamPage(
  { claim, team, freeMembers, takenMembers }: OpenClaim,
  { path, joinUrl, code }: { readonly path: string; readonly joinUrl: string; readonly code: string },
  visit: Visit,
): Response {
  const { event, now } = visit
  const isFull = freeMembers.length === 0 && claim.seats_left <= 0
  const title = `Hello, ${team.alias}`
  const taken =
    takenMembers.length === 0
      ? html``
      : html`<p class="soft">Already here: ${takenMembers.map(
          ({ name, claimedAt }, index) =>
            html`${index === 0 ? '' : ', '}<bdi>${name}</bdi>${claimedAt === null ? '' : ` (since ${sayWhen(claimedAt, now, event.timeZone)})`}`,
        )}. Is that you? <a href="/">Your team page</a> has what you need.</p>`
  if (isFull)
    return answerPage(
      title,
      html`<p class="note">All seats on this team are taken. If someone else took yours, or you lost your laptop, ask the organisers to free it.</p>${taken}`,
      { event, step: 1 },
    )
  return answerPage(
    title,
    html`${renderPhases(visit)}${isPhone(visit) ? renderWayToLaptop(joinUrl, code) : html``}<form method="post" action="${path}" enctype="multipart/form-data">
<div class="card"><fieldset><legend>Who are you?</legend>
${freeMembers.map(renderSeat)}
${claim.seats_left > 0 ? renderOther(freeMembers.length === 0, claim.seats_left) : html``}
</fieldset></div>
<div class="card">
<button class="button first" name="want" value="line">I use coding tools: get the line to paste</button>
<p class="soft">The line installs the recorder in your repository, makes your key and log token on your laptop, and connects your tools. It works once, until ${sayWhen(now + ticketMs, now, event.timeZone)}.</p>
<button class="button" name="want" value="key">I only use an SDK: show my key once</button>
<p class="soft">You can change this later on your team page.</p>
</div>
</form>
${taken}`,
    { event, step: 1 },
  )
}

/** `09:12`, or `Sat 21 Nov 09:12` on another day. */
function sayWhen(moment: number, now: number, timeZone: string): string {
  const dayOf = (each: number) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', day: 'numeric', month: 'short' })
      .format(each)
      .replace(',', '')
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  return `${dayOf(moment) === dayOf(now) ? '' : `${dayOf(moment)} `}${clock.format(moment)}`
}

/** Open phases that are not over, in event time. */
function renderPhases({ event: { phases, timeZone }, now }: Visit): Markup {
  const coming = phases.filter(({ gateway, until }) => gateway === 'open' && (until === null || until > now))
  if (coming.length === 0) return html``
  return html`<p class="soft">${coming.map(
    ({ name, from, until }) =>
      html`<bdi>${name}</bdi>: ${sayWhen(from, now, timeZone)}${until === null ? '' : ` to ${sayWhen(until, now, timeZone)}`}<br>`,
  )}Times are in ${timeZone}.</p>`
}

function isPhone({ userAgent }: Visit): boolean {
  return /Android|iPhone|iPad|Mobile/.test(userAgent)
}

/** The line belongs in a terminal, and the sheet is often scanned with a phone. */
function renderWayToLaptop(joinUrl: string, code: string): Markup {
  return html`<div class="card"><p>You need your laptop for this, unless you only want a key. On your laptop, open</p><pre>${joinUrl}</pre><p>and enter the code <b>${code}</b>.</p></div>
`
}

function renderSeat({ memberId, name }: Member): Markup {
  return html`<label class="seat"><input type="radio" name="member" value="${memberId}" required> <bdi>${name}</bdi></label>
`
}

function renderOther(isOnly: boolean, seats: number): Markup {
  return html`<label class="seat"><input type="radio" name="member" value="other" required${isOnly ? html` checked` : html``}> <span>${isOnly ? 'My name is' : 'Someone else'} <span class="soft">(${seats === 1 ? '1 seat' : `${seats} seats`} free)</span></span></label>
<label class="field">Name <input type="text" name="name" maxlength="100" autocomplete="name"></label>
`
}

const lightNames: Readonly<Record<JoinLightName, string>> = {
  key: 'Key',
  call: 'First call',
  recorder: 'Recorder',
  entry: 'First log entry',
}

/** `path`: the ticket's; `url` is the same as clients reach it. */
export function answerLinePage(
  { url, path, name }: { readonly url: string; readonly path: string; readonly name: string },
  { event, now, userAgent }: Visit,
  script: string | null,
): Response {
  const unix = html`<h2>Linux, macOS</h2>
${renderCopied(`curl -fsSL ${url} | sh`, 'Copy the line', true)}`
  const windows = html`<h2>Windows, in PowerShell</h2>
${renderCopied(`irm ${url}/ps1 | iex`, 'Copy the line for PowerShell', true)}`
  return answerPage(
    `One line, ${name}`,
    html`<div class="card"><p>In a terminal, go to your team repository and paste this:</p>
${/Windows/.test(userAgent) ? [windows, unix] : [unix, windows]}
<p class="soft">It works once, until ${sayWhen(now + ticketMs, now, event.timeZone)}. If the answer is lost, paste the same line again on the same laptop. Keep it to yourself: anyone who runs it gets your key.</p></div>
<div class="card"><h2>Progress</h2>
<ul class="lights" data-lights="${path}/lights">
${joinLightNames.map(
  each => html`<li data-light="${each}"><i aria-hidden="true">◌</i><span><b>${lightNames[each]}</b> <span class="soft" role="status"></span></span></li>
`,
)}</ul>
<noscript><p class="soft">Without JavaScript these lights do not update. Your team page has them too.</p></noscript></div>
<form method="post" action="${path}/page" class="card"><p>Your team page has the same lights, what is left to spend, and your calls. Its menu has a QR code that opens it on your phone.</p><button class="button">I ran it: open my team page</button></form>`,
    { event, step: 2, script },
  )
}

/** The script shows the button, which copies the text before it. */
function renderCopied(text: string, label: string, isFirst = false): Markup {
  return html`<pre>${text}</pre>
<button type="button" class="${isFirst ? 'button first' : 'button'}" data-copies hidden>${label}</button>`
}

/** `cookie`: signs the browser in from now on; null if it is not signed in. */
export function answerKeyPage(
  { gatewayUrl, key, name }: { readonly gatewayUrl: string; readonly key: string; readonly name: string },
  cookie: string | null,
  { event }: Pick<Visit, 'event'>,
  script: string | null,
): Response {
  const signedIn =
    cookie === null
      ? html``
      : html`<p><a class="button first" href="/">Continue to your team page</a></p><p class="soft">You are already signed in there.</p>`
  const reply = answerPage(
    `Your key, ${name}`,
    html`<div class="card"><p>Your key is shown only once. Copy it now:</p>
${renderCopied(key, 'Copy the key')}
<p>It works with every SDK for OpenAI's API, at this address:</p>
${renderCopied(`export OPENAI_BASE_URL=${gatewayUrl}/v1\nexport OPENAI_API_KEY=${key}`, 'Copy both lines')}</div>
${signedIn}
<p class="soft">If you want to use coding tools later, get the recorder line on your team page, under <b>Connect</b>. If you lose the key, ask the organisers to free your seat, then open the link again.</p>`,
    { event, step: 2, script },
  )
  if (cookie !== null) reply.headers.set('set-cookie', cookie)
  return reply
}

/** The door's own errors as a page. */
export function writeJoinError(error: ApiError): Response {
  const titles: Readonly<Record<number, string>> = {
    404: 'That did not work',
    410: 'No longer valid',
  }
  return answerPage(
    titles[error.status] ?? 'That did not work',
    html`<p class="note">${error.message}</p>
<p><a class="button" href="/join">Enter a code</a></p>`,
    { status: error.status, headers: error.headers },
  )
}
