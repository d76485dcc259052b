// Amounts of money, rounded for reading, with the exact amount on hover.
import { formatCost, formatExact, formatMoney, type Rounding } from '../format/money.ts'

type Shown = { readonly nano: number; readonly isStrong?: boolean }

/** The cost of one call or session. */
export function Cost(shown: Shown) {
  return <Amount text={formatCost(shown.nano)} {...shown} />
}

/** A sum, to the cent. */
export function Money({ rounding = 'up', ...shown }: Shown & { readonly rounding?: Rounding }) {
  return <Amount text={formatMoney(shown.nano, rounding)} {...shown} />
}

function Amount({ text, nano, isStrong = false }: Shown & { readonly text: string }) {
  const exact = formatExact(nano)
  return (
    <span className={isStrong ? 'strong nowrap' : 'nowrap'} {...(exact === text ? {} : { title: exact })}>
      {text}
    </span>
  )
}
