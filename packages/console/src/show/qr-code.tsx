// A QR code as one SVG path, dark on white in both themes, because phones read no other.
import encodeQR from 'qr'
import { useMemo } from 'react'

/** `label`: the text for screen readers. */
export function QrCode({
  text,
  label,
  className,
}: {
  readonly text: string
  readonly label: string
  readonly className: string
}) {
  const path = useMemo(() => {
    const rows = encodeQR(text, 'raw', { border: 2 })
    const dots = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    return { d: dots.join(''), size: rows.length }
  }, [text])
  return (
    <svg className={className} viewBox={`0 0 ${path.size} ${path.size}`} role="img" aria-label={label}>
      <rect width={path.size} height={path.size} fill="#fff" />
      <path d={path.d} fill="#000" />
    </svg>
  )
}
