import type { LandingId } from '../../section-paths.ts'
import type { TargetChoice } from '../convert/preset-links.ts'

/** The target that each landing page chooses for added files. */
export const landingChoices: Readonly<Record<LandingId, Omit<TargetChoice, 'values'>>> = {
  'pdf-to-word': { to: 'docx' },
  'merge-pdf': { tool: 'merge' },
  'compress-pdf': { tool: 'compress-pdf' },
  'jpg-to-pdf': { to: 'pdf' },
  'heic-to-jpg': { to: 'jpg' },
  'mp4-to-mp3': { to: 'mp3' },
  'video-to-gif': { to: 'gif' },
  // The target is text for images; recognizing the text of PDFs needs the tool.
  'scan-to-text': { to: 'txt', tool: 'ocr-pdf' },
}
