// Mantine's theme. Its colours point to our tokens, which cover both schemes.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const blue: MantineColorsTuple = [
  '#e8effc',
  '#d0defa',
  '#a6c2f7',
  '#7aa8ff',
  '#4c84ea',
  '#2f6bdd',
  '#1f5fd0',
  '#1a51b3',
  '#164393',
  '#16253f',
]

/** Mantine's `dark` palette in the greys of our tokens: from text over lines and fields to the background. */
const dark: MantineColorsTuple = [
  '#e8ebf0',
  '#c9cfd9',
  '#a6afbd',
  '#8c96a6',
  '#2a303b',
  '#222832',
  '#171b22',
  '#11151b',
  '#0f1217',
  '#0b0d11',
]

export const theme = createTheme({
  colors: { blue, dark },
  primaryColor: 'blue',
  primaryShade: { light: 6, dark: 5 },
  fontFamily: 'var(--font-text)',
  fontFamilyMonospace: 'var(--font-mono)',
  defaultRadius: 7,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    // Descriptions are below the field, so that fields in a row align.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } } },
    Modal: { defaultProps: { transitionProps: { duration: 120 } } },
    Drawer: { defaultProps: { transitionProps: { duration: 120 } } },
  },
})

const shared = {
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-body': 'var(--panel)',
  '--mantine-color-dimmed': 'var(--muted)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--panel)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--control)',
  '--mantine-color-placeholder': 'var(--faint)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-blue-filled': 'var(--accent-fill)',
  '--mantine-color-blue-filled-hover': 'var(--accent-hover)',
  '--mantine-color-blue-light': 'var(--accent-tint)',
  '--mantine-color-blue-light-color': 'var(--accent)',
  '--mantine-color-blue-outline': 'var(--accent)',
  '--mantine-color-red-filled': 'var(--fill-bad)',
  '--mantine-color-red-outline': 'var(--bad)',
  '--mantine-color-red-light': 'var(--bad-tint)',
  '--mantine-color-red-light-color': 'var(--bad)',
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: shared,
  dark: shared,
})
