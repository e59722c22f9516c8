import type { LandingId } from '../../section-paths.ts'
import type { TargetChoice } from '../convert/preset-links.ts'

/** What files added on each landing page are converted to. */
export const landingChoices: Readonly<Record<LandingId, Omit<TargetChoice, 'values'>>> = {
  'pdf-to-word': { to: 'docx' },
  'merge-pdf': { tool: 'merge' },
  'compress-pdf': { tool: 'compress-pdf' },
  'jpg-to-pdf': { to: 'pdf' },
  'heic-to-jpg': { to: 'jpg' },
  'mp4-to-mp3': { to: 'mp3' },
  'video-to-gif': { to: 'gif' },
  // Images become text; only the tool recognizes the text of PDFs.
  'scan-to-text': { to: 'txt', tool: 'ocr-pdf' },
}
