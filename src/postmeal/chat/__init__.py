"""Health chat: answers about food and glucose, each sentence with its source.

A number in an answer is computed by the model or quoted from an article. Questions about
emergencies, self-harm, medicines and diagnoses get fixed texts.

``assistant``        answers the last message of a conversation
``answer``           the answer: sentences, passages, computations, and the text made of them
``comparable_words`` words of a sentence in a form in which two sentences can be compared
``danger``           emergencies, self-harm and eating disorders
``fixed_texts``      the fixed texts with their sources
``history``          the messages of a conversation
``language``         whether a text is in English
``meal_question``    what is asked about a meal, with the meals of the turns before
``meals``            the meals that a text names
``medicines``        questions about doses, medicines and diagnoses
``person``           who eats, and when
``plain_messages``   the messages of a conversation in plain text
``readings``         glucose readings with their units
``routes``           which kind of answer a message gets
``tools``            what the library computes or finds for an answer, one file per tool
``wording``          the words of a message, and the patterns of ``patterns.toml``
"""

from postmeal.chat.answer import ChatAnswer, Computation, Sentence
from postmeal.chat.assistant import Assistant
from postmeal.chat.history import Message
from postmeal.chat.routes import Route

__all__ = ["Assistant", "ChatAnswer", "Computation", "Message", "Route", "Sentence"]
