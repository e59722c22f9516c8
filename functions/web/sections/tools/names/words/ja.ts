import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  'organize-pdf': 'ページを整理',
  'split-pdf': 'PDF を分割',
  'extract-pdf-pages': 'ページを抽出',
  'remove-pdf-pages': 'ページを削除',
  'reorder-pdf-pages': 'ページを並べ替え',
  'rotate-pdf': 'ページを回転',
  'crop-pdf': 'ページをトリミング',
  'ocr-pdf': '文字を認識（OCR）',
  'add-watermark-pdf': '透かしを追加',
  'add-page-numbers-pdf': 'ページ番号を追加',
  'edit-pdf-metadata': 'PDF のメタデータを編集',
  'extract-pdf-images': '画像を抽出',
  'pdf-info': 'PDF の情報',
  'encrypt-pdf': 'PDF を保護',
  'decrypt-pdf': 'PDF の保護を解除',
  'redact-pdf': 'テキストを墨消し',
  'sanitize-pdf': '非表示の内容を削除',
  'flatten-pdf': 'フォームとコメントを統合',
  'compress-pdf': 'PDF を圧縮',
  'grayscale-pdf': 'PDF をグレースケール化',
  'remove-blank-pages-pdf': '空白ページを削除',
  'linearize-pdf': 'Web 表示用に最適化',
  'repair-pdf': 'PDF を修復',
  'to-pdfa': 'PDF/A に変換',
  merge: 'ファイルを結合',
  compress: 'ファイルを圧縮',
  thumbnail: 'サムネイルを作成',
  watermark: '画像と動画に透かしを追加',
  metadata: 'メタデータを表示',
  archive: 'ZIP を作成',
  extract: 'アーカイブを展開',
}

export default words
