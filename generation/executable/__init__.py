"""A chat as one program, without Python: the tables of a tokenizer, the pieces of a template for chats, and the C that
reads them, which stands in `runtime/chat/`."""
