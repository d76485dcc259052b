// Handouts.
import { PageHead } from '../../../show/page-head.tsx'

export function HandoutsScreen() {
  return <PageHead title="Handouts" />
}
