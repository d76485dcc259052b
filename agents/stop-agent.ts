// What a person does who stops an agent while it works. In its own interface he then goes on, and leaves it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkPlace } from '../packages/recorder/journeys/testing/work-place.ts'
import type { Stop } from './cases.ts'
import type { ModelServer } from './model-server/start-model-server.ts'
import type { Agent } from './programs/agent.ts'
import type { Person } from './programs/run-agent.ts'

/** How often a key is pressed again. A busy interface may not take it, and Copilot CLI stops only at the second. */
const patienceMs = 400

export async function stopAgent(
  { by, during, next }: Stop,
  agent: Agent,
  person: Person,
  { root, pending }: Pick<WorkPlace, 'root' | 'pending'>,
  modelServer: Pick<ModelServer, 'isStalled' | 'isGivenUp'>,
): Promise<void> {
  const until = async (isTrue: () => boolean, act = () => {}) => {
    for (let at = 0; !isTrue() && !person.hasEnded(); at += 50) {
      if (at % patienceMs === 0) act()
      await Bun.sleep(50)
    }
  }
  if (during === 'command') await until(() => existsSync(join(root, 'begun')))
  else await until(modelServer.isStalled)
  if (by === 'signal') return person.interrupt()
  const { stop, quit } = agent.screen
  let isShown = false
  void person.sees(stop.shows).then(() => {
    isShown = true
  })
  await until(
    () => isShown || modelServer.isGivenUp(),
    () => person.type(stop.keys),
  )
  // A letter right after Esc would be one key with it.
  await Bun.sleep(patienceMs)
  const enter = async (text: string, isTaken: () => boolean) => {
    person.type(text)
    await person.sees(new RegExp(text.replaceAll(/[\s.]/g, '')))
    await until(isTaken, () => person.type('\r'))
  }
  const listSince = () => {
    const entries = pending()
    const at = entries.findIndex(({ prompt }) => prompt === next)
    return at < 0 ? [] : entries.slice(at)
  }
  await enter(next, () => listSince().length > 0)
  await until(() => listSince().some(({ event }) => event === agent.events.stop))
  await enter(quit, person.hasEnded)
}
