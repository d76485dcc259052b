// Printable sheets: one page for each team with its link as text, as code and as QR code. There is no key on paper.
import type { MadeClaim } from '@fairgate/contracts/management/claims.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { codeLength } from './claim-code.ts'

const style = `@page{size:A4;margin:18mm}
*{box-sizing:border-box}
body{margin:0;font:14pt/1.5 system-ui,sans-serif;color:#000;background:#fff}
section{break-after:page;break-inside:avoid;min-height:240mm}
section:last-child{break-after:auto}
h1{margin:0 0 2mm;font-size:30pt;line-height:1.15;overflow-wrap:anywhere}
svg{display:block;width:80mm;height:80mm;margin:6mm 0}
.code{font:700 26pt/1.4 ui-monospace,monospace;letter-spacing:.08em}
.link{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
li{margin-bottom:2mm}
.small{font-size:10pt}`

export type HandoutFacts = {
  readonly claims: readonly MadeClaim[]
  /** Heading of each sheet; null: the event's name. */
  readonly title: string | null
  readonly event: Pick<EventRecord, 'name' | 'time_zone' | 'phases'>
}

/** One self-contained file. Every name is escaped. */
export function renderHandout({ claims, title: given, event }: HandoutFacts): string {
  const title = given ?? (event.name === '' ? 'Join your team' : event.name)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
${claims.map(claim => renderSheet(claim, title, event)).join('\n')}
</body>
</html>
`
}

function renderSheet(claim: MadeClaim, title: string, event: HandoutFacts['event']): string {
  const address = claim.url.slice(0, claim.url.length - claim.code.length - 1)
  return `<section>
<p>${escapeText(title)}</p>
<h1>${escapeText(claim.team_alias)}</h1>
${requireSvg(claim.qr_svg)}
<p class="link">${escapeText(claim.url)}</p>
<p>or the code <span class="code">${escapeText(showCode(claim.code))}</span> at <span class="link">${escapeText(address)}</span></p>
<ol>
<li>Open the link, and choose your name.</li>
<li>Copy the one line that it gives you.</li>
<li>Paste it into a terminal in the repository of your team: it makes your key, installs the recorder, and connects your tools.</li>
</ol>
<p>If you only need a key, the same page shows it, once.</p>
${renderPhases(event)}
<p class="small">Team ${escapeText(claim.team_id)}. ${describeSeats(claim)} The code works until ${showMoment(claim.expires_at, event.time_zone)} (${escapeText(event.time_zone)}). It gives keys of this team: do not pass it on.</p>
</section>`
}

/** Open phases, in the event's time zone, because a sheet of paper is read on site. */
function renderPhases({ phases, time_zone: zone }: HandoutFacts['event']): string {
  const open = phases.filter(({ gateway }) => gateway === 'open')
  if (open.length === 0) return ''
  const lines = open.map(
    ({ name, from, until }) =>
      `<li>${escapeText(name)}: ${showMoment(from, zone)}${until === null ? '' : ` to ${showMoment(until, zone)}`}</li>`,
  )
  return `<p>Times (${escapeText(zone)}):</p>\n<ul>${lines.join('')}</ul>`
}

/** `Sat 21 Nov 2026, 18:00` */
function showMoment(iso: string, timeZone: string): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, ...options }).format(Date.parse(iso))
  const day = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).replace(',', '')
  return `${day}, ${format({ hour: '2-digit', minute: '2-digit' })}`
}

/** `K7QM2XPD3A` → `K7QM2-XPD3A`: people read five characters at a time. */
function showCode(code: string): string {
  return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`
}

function describeSeats({ free_members: members, seats_left: others }: MadeClaim): string {
  const names = members === 1 ? '1 name is on its list.' : `${members} names are on its list.`
  if (others === 0) return names
  return `${names} ${others === 1 ? '1 more person' : `${others} more people`} can join.`
}

/** It comes from our own server, but everything written into the page is still checked. */
function requireSvg(markup: string): string {
  if (/^<svg [^<>]*>(?:<(?:path|rect) [^<>]*\/>)*<\/svg>\s*$/.test(markup)) return markup
  throw new Error('The reply has no QR code in a form that this version knows.')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => entities[character] ?? character)
}
