// Models.
import { PageHead } from '../../../show/page-head.tsx'

export function ModelsScreen() {
  return <PageHead title="Models" />
}
