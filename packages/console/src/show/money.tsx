// Money on a page: as many digits as help, and the exact amount on hover.
import { formatCost, formatExact, formatMoney, type Rounding } from '../format/money.ts'

/** What one call or session costs. */
export function Cost({ nano }: { readonly nano: number }) {
  return <Amount text={formatCost(nano)} nano={nano} />
}

/** A sum, to the cent. */
export function Money({ nano, rounding = 'up' }: { readonly nano: number; readonly rounding?: Rounding }) {
  return <Amount text={formatMoney(nano, rounding)} nano={nano} />
}

function Amount({ text, nano }: { readonly text: string; readonly nano: number }) {
  const exact = formatExact(nano)
  return (
    <span className="nowrap" {...(exact === text ? {} : { title: exact })}>
      {text}
    </span>
  )
}
