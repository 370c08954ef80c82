"""The study of OCR engines: pages that are made here, and the engines that read them."""
