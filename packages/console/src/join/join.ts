// Script of the join pages, which also work without it: copy buttons, and lights that show the laptop's progress.
import type { LightState } from '@fairgate/contracts/console/teams.ts'
import type { JoinLights } from '@fairgate/contracts/join/join.ts'
import { copyText } from '../show/copy-text.ts'

const saidMs = 1600
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copies]')) {
  const label = button.textContent ?? ''
  button.hidden = false
  button.ariaLive = 'polite'
  button.addEventListener('click', () => {
    const text = button.previousElementSibling?.textContent ?? ''
    const say = (said: string) => {
      button.textContent = said
      setTimeout(() => {
        button.textContent = label
      }, saidMs)
    }
    copyText(text).then(
      () => say('Copied'),
      () => say('Copy failed. Select the text instead.'),
    )
  })
}

const signs: Readonly<Record<LightState, string>> = { ok: '●', none: '◌', warn: '▲', blocked: '■' }
const everyMs = 1000
/** Longer after a failure, so that a hall full of pages does not flood a server that comes back. */
const againMs = 4000

for (const list of document.querySelectorAll<HTMLElement>('[data-lights]')) void follow(list)

/** Polls until all lights are on or the ticket is unknown. A page in the background waits. */
async function follow(list: HTMLElement): Promise<void> {
  for (;;) {
    await isShown()
    const reply = await fetch(list.dataset.lights ?? '').catch(() => null)
    if (reply !== null && reply.status >= 400 && reply.status < 429) return
    const isRead = reply?.ok === true
    if (isRead) {
      const { lights, time_zone: timeZone } = (await reply.json()) as JoinLights
      for (const [name, light] of Object.entries(lights)) show(list, name, light, timeZone)
      if (Object.values(lights).every(({ s }) => s === 'ok')) return
    }
    await new Promise(resolve => setTimeout(resolve, isRead ? everyMs : againMs))
  }
}

function show(
  list: HTMLElement,
  name: string,
  { s, since, text }: JoinLights['lights']['key'],
  timeZone: string,
): void {
  const item = list.querySelector<HTMLElement>(`[data-light="${name}"]`)
  const [sign, words] = [item?.querySelector('i'), item?.querySelector('[role=status]')]
  if (item === null || sign == null || words == null) return
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' })
  const said = since === null ? text : `${text} ${time.format(new Date(since))}`
  item.dataset.state = s
  // Unchanged text is not written again, or screen readers would repeat it.
  if (sign.textContent !== signs[s]) sign.textContent = signs[s]
  if (words.textContent !== said) words.textContent = said
}

async function isShown(): Promise<void> {
  while (document.hidden)
    await new Promise(resolve => document.addEventListener('visibilitychange', resolve, { once: true }))
}
