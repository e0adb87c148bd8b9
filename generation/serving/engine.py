"""Answers to several requests by one model: each has caches of its own, and one thread writes a token of all of them
at a time. Answers begin and end between such steps; while one reads its prompt, chunk by chunk, others are written."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mlc.generation.batch import Batch
from mlc.generation.generator import Generator
from mlc.generation.json_schema import JsonConstraint
from mlc.generation.sampling import Sampling
from mlc.generation.spelling import TextStream
from mlc.generation.stop_strings import StopStrings
from mlc.generation.token_probability import TokenProbability, token_probability
from mlc.generation.writing import Ending, Writing


@dataclass(frozen=True)
class Piece:
    """A text by which an answer grows, and the tokens that were drawn since the last one, if they are asked for."""

    text: str
    drawn: Sequence[TokenProbability] = ()


@dataclass(frozen=True)
class Answered:
    """An answer ended: why, how many tokens it has, how many of the prompt did not have to be read, the state of the
    model after the last token that was read, `[width]`, and the tokens since the last text, if they are asked for."""

    ending: Ending
    written: int
    reused: int
    hidden: NDArray[np.float32]
    drawn: Sequence[TokenProbability] = ()


@dataclass(frozen=True)
class Failure:
    """An answer ended with an error: `TimeoutError`, or one that the model, or mlc, raised."""

    error: Exception


Event = Piece | Answered | Failure


class QueueFullError(Exception):
    """As many requests wait as may."""


class EngineStoppedError(Exception):
    """The engine takes no more requests."""


@dataclass(eq=False)
class Job:
    """What is asked for.

    Attributes:
        tokens: the prompt.
        most: how many tokens may be written.
        deadline: when it has to be answered, by `time.monotonic`.
        tell: takes each event, in the engine's thread; it must not wait.
        likeliest: how many of the likeliest tokens are told beside each; None if probabilities are not asked for.
        is_cancelled: whether nobody waits for the answer any more; nothing is told then.
    """

    tokens: Sequence[int]
    most: int
    sampling: Sampling
    stops: Sequence[str]
    constraint: JsonConstraint | None
    deadline: float
    tell: Callable[[Event], None]
    likeliest: int | None = None
    is_cancelled: bool = False


@dataclass(eq=False)
class _Answer:
    """A job that is answered.

    Attributes:
        reading: reads the prompt, a chunk at a time, and gives the logits after each.
        logits: those after what was read last.
        following: the token that the model has to read before the next one can be drawn.
        reused: how many tokens of the prompt were in the caches.
        drawn: the tokens since the last text, if they are asked for.
    """

    job: Job
    reading: Iterator[NDArray[np.float32]]
    writing: Writing
    text: TextStream
    stop: StopStrings
    reused: int
    logits: NDArray[np.float32] | None = None
    following: int | None = None
    drawn: list[TokenProbability] = field(default_factory=list[TokenProbability])

    def take(self) -> Ending | None:
        """Read a chunk of the prompt, or draw a token; says why the answer ended, if it did."""
        if (logits := next(self.reading, None)) is not None:
            self.logits = logits
            return None
        assert self.logits is not None, "a prompt has a token at least"
        token = self.writing.token(self.logits)
        if token is not None:
            if self.job.likeliest is not None:
                self.drawn.append(token_probability(self.logits, token, self.job.likeliest))
            self._tell(self.stop.passed(self.text.added(token)))
        if self.stop.is_found:
            self.drawn.clear()  # what is not told is the text that ended the answer
            return Ending.STOP
        if self.writing.ending is not None:
            self._tell(self.stop.passed(self.text.rest(), is_last=True))
            return self.writing.ending
        self.following = token
        return None

    def _tell(self, text: str) -> None:
        if text:
            self.job.tell(Piece(text, [*self.drawn]))
            self.drawn.clear()


@dataclass(eq=False)
class _Slot:
    """Caches, and the answer that uses them."""

    generator: Generator
    answer: _Answer | None = None
    used: float = 0.0


class Engine:
    """A queue of jobs, and a thread that answers them.

    Attributes:
        reused: how many tokens of prompts were found in caches.
        read, written: how many tokens were read and written.
    """

    def __init__(self, generator: Generator, slots: int, most_waiting: int) -> None:
        self._slots = [_Slot(generator), *(_Slot(generator.another()) for _ in range(slots - 1))]
        self._batch = Batch([each.generator for each in self._slots])
        self._most_waiting = most_waiting
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._is_stopped = False
        self.read, self.written, self.reused = 0, 0, 0
        self._thread = threading.Thread(target=self._run, name="mlc-engine", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Take a job.

        Raises:
            QueueFullError: too many wait.
            EngineStoppedError: the engine was stopped.
        """
        with self._changed:
            if self._is_stopped:
                raise EngineStoppedError
            if len(self._waiting) >= self._most_waiting and all(each.answer is not None for each in self._slots):
                raise QueueFullError
            self._waiting.append(job)
            self._changed.notify()

    def cancel(self, job: Job) -> None:
        """Nobody waits for the answer."""
        job.is_cancelled = True

    def stop(self) -> None:
        """Cut what is not answered yet, and end the thread."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        self._thread.join()

    @property
    def cache_bytes(self) -> int:
        """How much memory caches take when all are full; no more is taken, whatever is asked."""
        return self._batch.cache_bytes

    @property
    def held(self) -> int:
        """How many tokens caches hold now."""
        return sum(each.generator.held for each in self._slots)

    @property
    def load(self) -> tuple[int, int]:
        """How many jobs are answered, and how many wait."""
        return sum(each.answer is not None for each in self._slots), len(self._waiting)

    @property
    def is_running(self) -> bool:
        """Whether jobs are answered."""
        return not self._is_stopped

    def _run(self) -> None:
        try:
            while self._has_work():
                for slot in self._slots:
                    if slot.answer is not None:
                        self._turn(slot, slot.answer)
                self._read()
        finally:  # whatever happens, nobody waits for an engine that stopped
            with self._changed:
                self._is_stopped = True
            self._cut()

    def _cut(self) -> None:
        """Tell all that their answers do not come."""
        for slot in self._slots:
            if slot.answer is not None:
                slot.answer.job.tell(Failure(EngineStoppedError()))
        for job in self._waiting:
            job.tell(Failure(EngineStoppedError()))

    def _has_work(self) -> bool:
        """Wait until there is some; False if the engine was stopped."""
        with self._changed:
            while not self._is_stopped:
                self._begin()
                if any(each.answer is not None for each in self._slots):
                    return True
                self._changed.wait()
            return False

    def _begin(self) -> None:
        """Give slots to jobs that wait, in their order, and drop those that are late or that nobody waits for."""
        now = time.monotonic()
        for job in [each for each in self._waiting if each.is_cancelled or each.deadline < now]:
            self._waiting.remove(job)
            if not job.is_cancelled:
                job.tell(Failure(TimeoutError()))
        while self._waiting and (free := [each for each in self._slots if each.answer is None]):
            slot = _best(free, self._waiting[0].tokens)
            job = self._waiting.popleft()
            try:
                slot.answer = _begun(slot.generator, job)
            except Exception as e:
                job.tell(Failure(e))

    def _turn(self, slot: _Slot, answer: _Answer) -> None:
        job = answer.job
        if job.is_cancelled:
            return self._end(slot, answer)
        try:
            if time.monotonic() > job.deadline:
                raise TimeoutError
            ending = answer.take()
        except Exception as e:
            self._end(slot, answer)
            return job.tell(Failure(e))
        if ending is not None:
            self._end(slot, answer)
            written, hidden = len(answer.writing.written), slot.generator.hidden
            job.tell(Answered(ending, written, answer.reused, hidden, answer.drawn))
        return None

    def _read(self) -> None:
        """Let the model read the tokens that were drawn, of all answers at once."""
        found: list[tuple[_Slot, _Answer, int]] = []
        for slot in self._slots:
            if (answer := slot.answer) is not None and answer.following is not None:
                found.append((slot, answer, answer.following))
                answer.following = None
        try:
            read = self._batch.read([(slot.generator, token) for slot, _, token in found])
        except Exception as e:
            for slot, answer, _ in found:
                self._end(slot, answer)
                answer.job.tell(Failure(e))
            return
        for (_, answer, _), logits in zip(found, read, strict=True):
            answer.logits = logits

    def _end(self, slot: _Slot, answer: _Answer) -> None:
        self.written += len(answer.writing.written)
        self.reused += answer.reused
        self.read += min(len(answer.job.tokens), slot.generator.held) - answer.reused
        slot.answer, slot.used = None, time.monotonic()


def _begun(generator: Generator, job: Job) -> _Answer:
    """The answer to a job, of which nothing is computed yet."""
    left = generator.forget(job.tokens)
    writing = generator.writing(job.most, job.sampling, job.constraint)
    text, reused = TextStream(generator.tokenizer.spelling), len(job.tokens) - len(left)
    return _Answer(job, generator.reading(left), writing, text, StopStrings(job.stops), reused)


def _best(slots: Sequence[_Slot], tokens: Sequence[int]) -> _Slot:
    """The slot whose caches a prompt continues, or else the one that was not used for longest.

    A prompt continues caches if it shares more than half of what they hold, or is all in them: a beginning that all
    prompts share, such as the message of the system, does not take the caches of another conversation.
    """
    shared = [(each.generator.common(tokens), each) for each in slots]
    going_on = [each for each in shared if 2 * each[0] > each[1].generator.held or each[0] == len(tokens) - 1 > 0]
    if going_on:
        return max(going_on, key=lambda found: found[0])[1]
    return min(slots, key=lambda each: each.used)
