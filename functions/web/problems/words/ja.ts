import type { ErrorCode } from '../../../../lib/error-catalog.ts'
import type en from './en.ts'

const reloadAndRetry = 'ページを再読み込みして、もう一度お試しください。'

const texts: Readonly<Record<ErrorCode, string>> = {
  INVALID_API_KEY: 'セッションの有効期限が切れました。もう一度ログインしてください。',
  AUTHENTICATION_REQUIRED: '続けるにはログインしてください。',
  INSUFFICIENT_PERMISSIONS: 'アクセスする権限がありません。所有者のアカウントでログインしてください。',
  RATE_LIMITED:
    'このサービスの上限に達しました。しばらく待ってから、もう一度お試しください。上限は「利用状況」で確認できます。',
  INVALID_INPUT: '正しくない値があります。修正して、もう一度お試しください。',
  INVALID_REQUEST: '入力内容を処理できません。修正して、もう一度お試しください。',
  FILE_TOO_LARGE: 'ファイルが大きすぎます。小さいファイルを選ぶか、先に分割してください。',
  UNSUPPORTED_FORMAT:
    'このファイルの種類には対応していません。ファイル名の拡張子が正しいか確認するか、別の形式で保存してください。',
  UNSUPPORTED_CONVERSION: 'このファイルはその形式に変換できません。別の形式を選んでください。',
  FORMAT_NOT_FOUND: 'その形式はありません。一覧から選んでください。',
  JOB_NOT_FOUND: 'この変換は削除されたか、保存期間が過ぎました。ファイルをもう一度変換してください。',
  TASK_NOT_FOUND: 'この結果はもうありません。ファイルをもう一度変換してください。',
  CONVERSION_FAILED:
    'ファイルを変換できませんでした。別の形式を試すか、ファイルを開いて保存し直してから、もう一度お試しください。',
  CORRUPT_FILE:
    'ファイルが破損しているか、不完全であるか、種類がファイル名と一致しません。作成したアプリで開いて保存し直してから、もう一度お試しください。',
  TIMEOUT: '変換に時間がかかりすぎました。小さいファイル、少ないページ数、または短い範囲でお試しください。',
  INSUFFICIENT_DISK_SPACE:
    'サーバーの空き容量が不足しています。数分後にもう一度試すか、古い結果を削除してください。',
  STORAGE_NOT_CONFIGURED:
    '現在、サーバーにファイルを保存できません。後でもう一度試すか、サービスの運営者にお知らせください。',
  NO_FILES: 'ファイルが送信されていません。ファイルを選んで、もう一度お試しください。',
  FILE_GONE: 'ファイルは保存期間が過ぎたため削除されました。ファイルを選び直してください。',
  EXPIRED: 'このリンクは期限が切れています。新しいリンクを取得するには、ページを再読み込みしてください。',
  PDF_ENCRYPTED: 'この PDF は保護されています。続けるにはパスワードを入力してください。',
  DRIVE_NOT_CONFIGURED:
    'このクラウドストレージはここでは使えません。ファイルをダウンロードし、お使いの端末から追加してください。',
  NOT_FOUND: `見つかりませんでした。${reloadAndRetry}`,
  METHOD_NOT_ALLOWED: `この操作には対応していません。${reloadAndRetry}`,
  NOT_ACCEPTABLE: `この操作には対応していません。${reloadAndRetry}`,
  CONFLICT: `その間に内容が変更されました。${reloadAndRetry}`,
  UNSUPPORTED_MEDIA_TYPE: `この操作には対応していません。${reloadAndRetry}`,
  HEADERS_TOO_LARGE: 'リクエストが長すぎます。このページの Cookie を削除して、もう一度お試しください。',
  IDEMPOTENCY_KEY_REUSED: `このリクエストは以前のリクエストと矛盾しています。${reloadAndRetry}`,
  IDEMPOTENCY_IN_PROGRESS: '同じリクエストをまだ処理しています。しばらく待ってから、もう一度お試しください。',
  UPLOAD_NOT_FOUND: 'アップロードの期限が切れました。ファイルを選び直してください。',
  UPLOAD_INCOMPLETE: 'アップロードが完了しませんでした。接続を確認して、もう一度お試しください。',
  WEBHOOK_NOT_FOUND: 'この Webhook はもうありません。ページを再読み込みしてください。',
  WORKFLOW_NOT_FOUND: 'このワークフローはもうありません。ページを再読み込みしてください。',
  API_KEY_NOT_FOUND: 'この API キーはもうありません。ページを再読み込みしてください。',
  URL_NOT_ALLOWED: 'このリンクは使えません。https:// で始まる公開リンクを入力してください。',
  DRIVE_NOT_CONNECTED: 'ストレージが接続されていません。接続して、もう一度お試しください。',
  INVALID_SIGNATURE:
    'このリンクは変更されているか、不完全です。リンク全体をコピーするか、新しいリンクを依頼してください。',
  SERVICE_UNAVAILABLE: '現在、サービスが混み合っています。数秒後にもう一度お試しください。',
  FILE_ENCRYPTED:
    'このファイルは保護されています。続けるにはパスワードを入力するか、保護なしで保存してください。',
  IMPORT_FAILED:
    'このリンクまたはストレージからファイルを取得できませんでした。ファイルが存在し、ほかの人も開けることを確認してください。',
  EXPORT_FAILED:
    '結果を保存先に保存できませんでした。保存先への接続を確認するか、結果をダウンロードしてください。',
  INTERNAL_ERROR:
    'サーバーで問題が発生しました。もう一度お試しください。失敗が続く場合は、運営者にお知らせください。',
}

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  texts,
  tooLarge: (size, max) =>
    `ファイルのサイズは ${size} ですが、上限は ${max} です。小さいファイルを選ぶか、先に分割してください。`,
  maxSize: (max) =>
    `ファイルが大きすぎます。上限は ${max} です。小さいファイルを選ぶか、先に分割してください。`,
  retryIn: (seconds) =>
    seconds < 90
      ? `リクエストが多すぎます。${seconds} 秒後にもう一度お試しください。`
      : `このサービスの上限に達しました。${Math.ceil(seconds / 60)} 分後にもう一度お試しください。上限は「利用状況」で確認できます。`,
  wrongPassword: 'このパスワードではファイルを開けません。確認して、もう一度お試しください。',
  fieldProblem: (label, value, rule) =>
    value === '' ? `${label}：${rule}` : `${label}に「${value}」は使えません。${rule}`,
  reasons: {
    afterEnd: (length) => `ファイルの長さは ${length} です。それより前の位置を指定してください。`,
    noSuchPage: (pages) => `この文書は ${pages} ページです。`,
    tooManyImages: (max) =>
      `配置できる画像は ${max} 枚までです。別のレイアウトを選ぶか、画像を減らしてください。`,
    endBeforeStart: '開始位置より後を指定してください。',
    allPages: '少なくとも 1 ページは残してください。',
    noRoom:
      '余白が大きすぎて、内容を配置する場所がありません。余白を小さくするか、大きい用紙を選んでください。',
    tooManyPixels: '画像のピクセル数が多すぎます。解像度を下げてください。',
    nothingToDo: '少なくとも 1 つの項目を入力してください。',
    eitherOr: '指定できるのはどちらか一方だけです。この項目か、もう一方を空にしてください。',
    signed:
      'この PDF には署名があります。変更すると署名は無効になります。それでも変更する場合は、この項目を選択してください。',
    noMatch: 'アーカイブ内に一致するファイルがありません。',
  },
}

export default words
