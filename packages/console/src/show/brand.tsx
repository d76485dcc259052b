// Fairgate's logo.

export function BrandSign({ size = 24 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden>
      <rect width="24" height="24" rx="6" fill="var(--accent-fill)" />
      <path
        d="M5.5 18.5v-7a6.5 6.5 0 0 1 13 0v7M9.5 18.5v-6.5a2.5 2.5 0 0 1 5 0v6.5M12 5v13.5M5.5 14h13"
        fill="none"
        stroke="#fff"
        strokeWidth="1.6"
        strokeLinecap="round"
      />
    </svg>
  )
}
