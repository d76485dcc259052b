// Team.
import { PageHead } from '../../../show/page-head.tsx'

export function TeamScreen() {
  return <PageHead title="Team" />
}
