// Teams.
import { PageHead } from '../../../show/page-head.tsx'

export function TeamsScreen() {
  return <PageHead title="Teams" />
}
