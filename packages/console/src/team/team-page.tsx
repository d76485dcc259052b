// The page of a team: what is left, what was refused and why, how to connect.
import { PageHead } from '../show/page-head.tsx'

export function TeamPage() {
  return <PageHead title="Team" />
}
