import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  howTo: 'Cómo funciona',
  options: 'Opciones',
  questions: 'Preguntas',
  pages: {
    'pdf-to-word': {
      title: 'Convertir PDF a Word',
      description: 'Convierte un PDF en un documento de Word editable, con sus títulos, tablas e imágenes.',
      lead: 'Un archivo DOCX editable, con títulos, tablas e imágenes.',
      steps: [
        'Añadir uno o más archivos PDF.',
        'Pulsar «Convertir a DOCX».',
        'Descargar el documento de Word.',
      ],
      options: [
        'Convertir solo algunas páginas, por ejemplo 1-5.',
        'Conservar la posición exacta de todo, o un texto que fluye al escribir.',
        'Elegir los idiomas de las páginas escaneadas.',
      ],
      questions: [
        [
          '¿Funciona con PDF escaneados?',
          'Sí. Las páginas que solo son imágenes pasan antes por el reconocimiento de texto (OCR).',
        ],
        [
          '¿Funciona con un PDF protegido?',
          'Sí, si se conoce la contraseña: se introduce en las opciones del archivo.',
        ],
        [
          '¿Qué programas abren el resultado?',
          'Microsoft Word, LibreOffice Writer, Google Docs, Pages y otros que abren archivos DOCX.',
        ],
      ],
    },
    'merge-pdf': {
      title: 'Unir archivos PDF',
      description: 'Combina varios archivos PDF en uno solo, en el orden que se elija.',
      lead: 'Varios PDF en un solo archivo, en cualquier orden.',
      steps: [
        'Añadir dos o más archivos PDF.',
        'Ponerlos en el orden correcto.',
        'Unirlos y descargar un solo PDF.',
      ],
      options: [
        'Tomar solo algunas páginas de cada archivo, por ejemplo 1-3, 7.',
        'Cambiar el orden arrastrando o con el teclado.',
        'Unir imágenes, audio o videos de la misma manera.',
      ],
      questions: [
        [
          '¿Cambia la calidad?',
          'No. Las páginas se copian tal como son, con su texto, sus imágenes y sus enlaces.',
        ],
        ['¿Se conservan los marcadores?', 'Sí, cada archivo conserva sus marcadores en el PDF unido.'],
      ],
    },
    'compress-pdf': {
      title: 'Comprimir un PDF',
      description: 'Reduce el tamaño de un PDF para enviarlo por correo o subirlo a formularios.',
      lead: 'PDF más pequeños para correos y formularios.',
      steps: [
        'Añadir uno o más archivos PDF.',
        'Pulsar «Comprimir PDF».',
        'Comparar los tamaños y descargar el resultado.',
      ],
      options: [
        'Elegir entre la mejor calidad y el archivo más pequeño.',
        'El texto y los gráficos vectoriales siguen nítidos; solo se comprimen las imágenes.',
      ],
      questions: [
        [
          '¿Cuánto se reduce?',
          'Depende de las imágenes: los escaneos y las fotos se reducen mucho; el texto solo, apenas.',
        ],
        [
          '¿Y si no se puede reducir más?',
          'Entonces el archivo se devuelve sin cambios y la página lo indica.',
        ],
      ],
    },
    'jpg-to-pdf': {
      title: 'Convertir JPG a PDF',
      description: 'Convierte fotos y escaneos JPG en archivos PDF.',
      lead: 'Fotos y escaneos en PDF, para imprimir o enviar.',
      steps: [
        'Añadir las imágenes, o tomar una foto con el teléfono.',
        'Pulsar «Convertir a PDF».',
        'Descargar el PDF.',
      ],
      options: [
        'Elegir el tamaño de papel, los márgenes y la orientación.',
        'También sirven PNG, HEIC, WebP y otras imágenes.',
      ],
      questions: [
        ['¿Cambia la calidad?', 'No. El JPG se coloca en el PDF sin volver a comprimirlo.'],
        [
          '¿Pueden ir todas las imágenes en un solo PDF?',
          'Sí. Basta con añadir varias imágenes, elegir PDF para todas y pulsar «Combinar … imágenes en un solo PDF».',
        ],
      ],
    },
    'heic-to-jpg': {
      title: 'Convertir HEIC a JPG',
      description: 'Convierte fotos HEIC de un iPhone en imágenes JPG que se abren en todas partes.',
      lead: 'Fotos de iPhone en imágenes JPG que se abren en todas partes.',
      steps: [
        'Añadir una o muchas fotos HEIC.',
        'Pulsar «Convertir a JPG».',
        'Descargarlas una a una o en un ZIP.',
      ],
      options: [
        'Ajustar la calidad y el tamaño en píxeles.',
        'Conservar o eliminar los datos de la cámara y la ubicación (EXIF).',
      ],
      questions: [
        [
          '¿Cuántas fotos se pueden convertir a la vez?',
          'Hasta 2000 por selección; se convierten una tras otra.',
        ],
        ['¿Se giran bien las fotos?', 'Sí, se aplica la orientación de la cámara.'],
      ],
    },
    'mp4-to-mp3': {
      title: 'Convertir MP4 a MP3',
      description: 'Extrae el audio de un video en un archivo MP3.',
      lead: 'El audio de un video en un archivo MP3.',
      steps: ['Añadir un archivo MP4.', 'Pulsar «Convertir a MP3».', 'Descargar el archivo de audio.'],
      options: [
        'Recortar un fragmento con el tiempo inicial y final.',
        'Ajustar la tasa de bits y el volumen del audio.',
      ],
      questions: [
        [
          '¿Funciona con otros videos?',
          'Sí: MOV, MKV, WebM, AVI y la mayoría de los demás formatos de video.',
        ],
        [
          '¿Se puede conservar el audio original?',
          'Sí. Con M4A en lugar de MP3: si el audio del video es AAC, se copia sin cambios.',
        ],
      ],
    },
    'video-to-gif': {
      title: 'Convertir video a GIF',
      description: 'Convierte un fragmento de un video en un GIF animado.',
      lead: 'Un fragmento de un video como GIF animado.',
      steps: [
        'Añadir un video.',
        'Fijar el tiempo inicial y final en las opciones.',
        'Pulsar «Convertir a GIF» y descargarlo.',
      ],
      options: ['Ajustar el ancho y los fotogramas por segundo.', 'Repetir sin fin o un número de veces.'],
      questions: [
        [
          '¿Por qué el GIF ocupa más que el video?',
          'GIF comprime mal. Lo que más ayuda es un ancho menor, menos fotogramas por segundo o un fragmento más corto.',
        ],
        [
          '¿Hay un formato mejor?',
          'WebP animado ocupa mucho menos y funciona en todos los navegadores actuales.',
        ],
      ],
    },
    'scan-to-text': {
      title: 'Convertir un escaneo a texto',
      description:
        'Reconoce el texto de un escaneo o una foto (OCR): un PDF pasa a permitir búsquedas, una imagen se convierte en un archivo de texto.',
      lead: 'El texto de una página escaneada o de una foto.',
      steps: [
        'Añadir un PDF escaneado o una imagen, o tomar una foto.',
        'Elegir el idioma del texto en las opciones.',
        'Pulsar el botón debajo del archivo y descargar el resultado: un PDF con texto que se puede buscar, o el texto de una imagen.',
      ],
      options: ['Más de 100 idiomas, y varios a la vez.', 'Convertir solo algunas páginas de un PDF.'],
      questions: [
        [
          '¿Qué mejora el reconocimiento?',
          'Una imagen recta, nítida y clara, y el idioma correcto en las opciones.',
        ],
        [
          '¿Se puede obtener el texto de un PDF como archivo de texto?',
          'Sí. Primero se reconoce su texto; después se convierte el PDF resultante a TXT.',
        ],
      ],
    },
  },
}

export default words
