"""Answers over HTTP, in the words of OpenAI's interface: https://platform.openai.com/docs/api-reference.

    request -> wire (what is asked) -> engine (a queue, caches, turns) -> answers (objects, events) -> app (HTTP)

One thread, the engine's, calls the model; the event loop of the app reads and writes. Events go from the former to the
latter, and a request that nobody waits for any more is told to the engine by a flag.
"""
