// Phases for tests: open, without any limit, with the relevant fields set.
import type { Phase } from '../event.ts'

export function buildPhase(changes: Partial<Phase> & Pick<Phase, 'name' | 'from'>): Phase {
  return {
    until: null,
    gateway: 'open',
    models: null,
    budgetNano: null,
    accounting: 'continue',
    entriesUntil: null,
    submissionsUntil: null,
    ...changes,
  }
}
