// Holds the order of a list while the pointer is over it or one of its rows has focus.
import { type FocusEvent, type PointerEvent, useRef, useState } from 'react'
import { holdOrder } from './hold-order.ts'

/** `question`: the query that the rows answer. A new query is shown in its own order at once. Null while rows answer the previous query. */
export function useHeldOrder<Row>(rows: readonly Row[], idOf: (row: Row) => string, question: string | null) {
  const [isOver, setOver] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const shown = useRef<{ readonly question: string | null; readonly ids: readonly string[] }>({
    question: null,
    ids: [],
  })
  const isHeld = (isOver || hasFocus) && question !== null && shown.current.question === question
  const held = isHeld ? holdOrder(rows, shown.current.ids, idOf) : rows
  shown.current = { question, ids: held.map(idOf) }
  return {
    rows: held,
    hands: {
      onPointerEnter: ({ pointerType }: PointerEvent) => setOver(pointerType === 'mouse'),
      onPointerLeave: () => setOver(false),
      onFocus: ({ target }: FocusEvent) => setFocus(target.closest('[data-row]') !== null),
      onBlur: () => setFocus(false),
    },
  }
}
