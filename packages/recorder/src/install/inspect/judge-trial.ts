// What a trial run of a hook says about it.
import type { Finding } from './finding.ts'
import type { Trial } from './try-hook.ts'

/** Milliseconds above which a user would notice the hook; the machine may be busy, so it is no failure. */
const slowFrom = 250

export function judgeTrial(name: string, trial: Trial): Finding {
  const { exitCode, output, errors, milliseconds, entries } = trial
  const took = `${Math.round(milliseconds)} ms`
  const of = (state: Finding['state'], detail: string): Finding => ({ name, state, detail })
  if (exitCode !== 0)
    return of('failed', `ended with ${exitCode ?? 'no answer in time'}: ${errors.trim().slice(0, 200)}`)
  if (output !== '')
    return of('failed', `printed ${JSON.stringify(output.slice(0, 100))}, which the tool would act upon`)
  if (entries !== 1)
    return of('failed', `wrote ${entries} entries instead of one; see ~/.fairgate/recorder.log`)
  if (errors !== '') return of('warning', `${took}; complained: ${errors.trim().slice(0, 200)}`)
  return of(milliseconds > slowFrom ? 'warning' : 'ok', took)
}
